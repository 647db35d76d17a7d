/** The servers, the stored data, and the processes beside them. */
@NullMarked
package dev.sheaf.benchmarks.servers;

import org.jspecify.annotations.NullMarked;
