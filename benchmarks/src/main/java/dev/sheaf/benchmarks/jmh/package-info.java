/** Benchmarks of one question each, run by JMH with its own options and profilers. */
@NullMarked
package dev.sheaf.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
