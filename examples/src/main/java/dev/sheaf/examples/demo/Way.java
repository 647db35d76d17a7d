package dev.sheaf.examples.demo;

import java.util.List;
import java.util.function.Supplier;

/**
 * One way of doing an experiment's work.
 *
 * @param name as tables and reports name it
 * @param description what it does, in a few words of code or prose
 * @param once whether it takes so long that it runs a single time, without a warm-up
 * @param work does all of the work and returns the outcome
 */
record Way(String name, String description, boolean once, Supplier<List<?>> work) {

  Way(String name, String description, Supplier<List<?>> work) {
    this(name, description, false, work);
  }

  Way onlyOnce() {
    return new Way(name, description, true, work);
  }
}
