/** The Sheaf client; start with {@code Sheaf.connect}. */
@NullMarked
package dev.sheaf;

import org.jspecify.annotations.NullMarked;
