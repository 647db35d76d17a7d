@NullMarked
package dev.sheaf.embedded.internal.protocol;

import org.jspecify.annotations.NullMarked;
