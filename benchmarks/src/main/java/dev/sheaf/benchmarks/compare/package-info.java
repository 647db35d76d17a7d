/** The comparison of all clients, and the pages made of it. */
@NullMarked
package dev.sheaf.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
