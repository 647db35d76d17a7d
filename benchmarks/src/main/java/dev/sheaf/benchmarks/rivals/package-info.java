/** The measured clients behind one interface. */
@NullMarked
package dev.sheaf.benchmarks.rivals;

import org.jspecify.annotations.NullMarked;
