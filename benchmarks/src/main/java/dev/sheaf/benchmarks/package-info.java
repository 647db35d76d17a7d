/**
 * Measures Sheaf against other clients. {@link dev.sheaf.benchmarks.Main} is the entry point:
 * {@code compare} runs the rivals alternately and reports ratios, anything else is handed to JMH.
 */
@NullMarked
package dev.sheaf.benchmarks;

import org.jspecify.annotations.NullMarked;
