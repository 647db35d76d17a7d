package dev.sheaf.benchmarks.compare;

import java.util.Locale;

/** Numbers as people read them. */
final class Numbers {

  private static final double MICROS_PER_MILLI = 1e3;

  private Numbers() {}

  /** Three digits that count, or all of a whole number from a hundred on: 0.0123, 1.23, 93,677. */
  static String rounded(double value) {
    double size = Math.abs(value);
    if (size >= 100) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    if (size >= 10) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    if (size >= 1 || size == 0) {
      return String.format(Locale.ROOT, "%.2f", value);
    }
    return String.format(Locale.ROOT, "%.3f", value);
  }

  /** A number of operations a second: 93k/s, 1.2M/s. */
  static String rate(double perSecond) {
    if (perSecond >= 999_500) {
      return String.format(Locale.ROOT, "%.2fM/s", perSecond / 1e6);
    }
    if (perSecond >= 9_950) {
      return String.format(Locale.ROOT, "%.0fk/s", perSecond / 1e3);
    }
    return perSecond >= 1_000
        ? String.format(Locale.ROOT, "%.1fk/s", perSecond / 1e3)
        : rounded(perSecond) + "/s";
  }

  /** A time in microseconds, or, from a thousand on, in milliseconds, with its unit. */
  static String micros(double micros) {
    return micros < MICROS_PER_MILLI
        ? rounded(micros) + " µs"
        : rounded(micros / MICROS_PER_MILLI) + " ms";
  }
}
