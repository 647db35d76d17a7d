/** Cache-aside: reads, single-flight loads and write-backs. */
@NullMarked
package dev.sheaf.internal.readthrough;

import org.jspecify.annotations.NullMarked;
