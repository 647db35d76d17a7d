/**
 * Measures Sheaf beside other clients. {@link dev.sheaf.benchmarks.Main} is the entry point: {@code
 * compare} measures all clients in turns, anything else is handed to JMH.
 */
@NullMarked
package dev.sheaf.benchmarks;

import org.jspecify.annotations.NullMarked;
