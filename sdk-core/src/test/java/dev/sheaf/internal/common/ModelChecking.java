// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** Lincheck's model checker, as the tests of this module use it. */
public final class ModelChecking {

  /**
   * After this an invocation counts as hung. Lincheck's own limit of 20 s is not enough on a
   * machine that computes something else: its threads yield while it weaves classes for the first
   * run.
   */
  private static final long HUNG_AFTER_MILLIS = 600_000;

  private ModelChecking() {}

  /** Options to go on from. */
  public static ModelCheckingOptions options() {
    // Kotlin hides this method from Kotlin alone; there is no public one.
    return new ModelCheckingOptions().invocationTimeout$lincheck(HUNG_AFTER_MILLIS);
  }
}
