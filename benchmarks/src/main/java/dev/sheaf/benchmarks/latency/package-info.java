/** Load at moments that no client's speed can move, and pauses that other clients see. */
@NullMarked
package dev.sheaf.benchmarks.latency;

import org.jspecify.annotations.NullMarked;
