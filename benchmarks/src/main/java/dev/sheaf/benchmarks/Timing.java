package dev.sheaf.benchmarks;

/**
 * How long one rival is measured in one round.
 *
 * @param warmups iterations that do not count
 * @param warmupMillis the length of each
 * @param measurements iterations that count
 * @param measurementMillis the length of each
 */
record Timing(int warmups, int warmupMillis, int measurements, int measurementMillis) {

  private static final Timing QUICK = new Timing(2, 1_000, 2, 700);
  private static final Timing FULL = new Timing(3, 1_000, 3, 1_000);

  static Timing of(CompareOptions options) {
    return options.quick() ? QUICK : FULL;
  }
}
