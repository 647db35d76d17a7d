/** The algorithms of the wire format, on the libraries that do the work. */
@NullMarked
package dev.sheaf.internal.compression.algorithm;

import org.jspecify.annotations.NullMarked;
