package dev.sheaf.benchmarks.compare;

import java.util.Collection;

/**
 * The middle and the ends of some values.
 *
 * @param median the middle value, or the mean of the two middle ones
 * @param smallest the smallest value
 * @param largest the largest value
 */
record Spread(double median, double smallest, double largest) {

  /**
   * Of these values.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Spread of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("There is no median of no values");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
