package dev.sheaf.examples.demo;

import dev.sheaf.examples.demo.Measurement.Meaning;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One way of doing an experiment's work.
 *
 * @param name as tables and reports name it
 * @param description what it does, in a few words of code or prose
 * @param once whether it takes so long that it runs a single time, without a warm-up
 * @param parts 1, or of how many equal parts of the work it does only the first, because all of
 *     them would take too long; what it takes is multiplied
 * @param work does the work and returns the outcome
 * @param meaning what its factor says
 * @param lateShare the share of late answers in the latest run, 0 to 1, where that counts and not
 *     the time; else null
 */
record Way(
    String name,
    String description,
    boolean once,
    int parts,
    Supplier<List<?>> work,
    Meaning meaning,
    @Nullable DoubleSupplier lateShare) {

  Way(String name, String description, Supplier<List<?>> work) {
    this(name, description, false, 1, work, Meaning.TIMES_FASTER, null);
  }

  Way onlyOnce() {
    return new Way(name, description, true, parts, work, meaning, lateShare);
  }

  Way onePartIn(int many) {
    return new Way(name, description, once, many, work, meaning, lateShare);
  }

  Way judgedBy(Meaning other) {
    return new Way(name, description, once, parts, work, other, lateShare);
  }

  Way judgedByLateness(DoubleSupplier share) {
    return new Way(name, description, once, parts, work, Meaning.LATE_SHARE, share);
  }
}
