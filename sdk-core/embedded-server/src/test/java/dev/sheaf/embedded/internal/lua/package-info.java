@NullMarked
package dev.sheaf.embedded.internal.lua;

import org.jspecify.annotations.NullMarked;
