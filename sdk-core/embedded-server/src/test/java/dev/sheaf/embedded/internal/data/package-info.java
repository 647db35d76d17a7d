@NullMarked
package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.NullMarked;
