package dev.sheaf.benchmarks;

import java.util.Map;

/**
 * What one run of one rival gave.
 *
 * @param score operations a second, or microseconds for an operation
 * @param unit of the score
 * @param higherIsBetter whether the score is a throughput
 * @param costs what each operation cost beside time, by {@link Cost#key}, or other figures by their
 *     names
 */
record Measurement(double score, String unit, boolean higherIsBetter, Map<String, Double> costs) {

  /** How many times as fast as the other, whatever the score counts. */
  double speedOver(Measurement other) {
    return higherIsBetter ? score / other.score : other.score / score;
  }

  @Override
  public String toString() {
    return Numbers.rounded(score) + " " + unit;
  }
}
