package dev.sheaf.benchmarks;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/** Medians, and numbers as people read them. */
final class Numbers {

  private static final double MICROS_PER_MILLI = 1e3;

  private Numbers() {}

  /**
   * The middle value, or the mean of the two middle ones.
   *
   * @throws IllegalArgumentException if there is no value
   */
  static double median(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("There is no median of no values");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  static double smallest(Collection<Double> values) {
    return Arrays.stream(array(values)).min().orElseThrow();
  }

  static double largest(Collection<Double> values) {
    return Arrays.stream(array(values)).max().orElseThrow();
  }

  private static double[] array(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

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

  /** A time in microseconds, or, from a thousand on, in milliseconds, with its unit. */
  static String micros(double micros) {
    return micros < MICROS_PER_MILLI
        ? rounded(micros) + " µs"
        : rounded(micros / MICROS_PER_MILLI) + " ms";
  }
}
