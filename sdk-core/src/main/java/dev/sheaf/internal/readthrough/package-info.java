/** Cache-aside reads: reading, single-flight loading, writing back. */
@NullMarked
package dev.sheaf.internal.readthrough;

import org.jspecify.annotations.NullMarked;
