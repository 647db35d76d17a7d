// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.time.Duration;
import java.util.Objects;

/** Checks of option values. Each error names the option, its valid range and the given value. */
public final class OptionChecks {

  /** The longest duration that is waited for: one day. */
  public static final Duration LONGEST = Duration.ofDays(1);

  private OptionChecks() {}

  /** Requires a positive duration. */
  public static Duration positive(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive, but was " + value);
    }
    return value;
  }

  /** Requires a duration from the minimum to {@link #LONGEST}. */
  public static Duration atLeast(Duration least, String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be from " + least + " to " + LONGEST + ", but was " + value);
    }
    return value;
  }

  /** Requires a number of at least the minimum. */
  public static int atLeast(int least, String name, int value) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + " must be at least " + least + ", but was " + value);
    }
    return value;
  }

  /** Requires a number in a range. */
  public static long within(long least, long most, String name, long value) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be from " + least + " to " + most + ", but was " + value);
    }
    return value;
  }

  /** Requires a number from zero to the maximum; not NaN. */
  public static double upTo(double most, String name, double value) {
    if (!(value >= 0 && value <= most)) {
      throw new IllegalArgumentException(
          name + " must be from 0 to " + most + ", but was " + value);
    }
    return value;
  }
}
