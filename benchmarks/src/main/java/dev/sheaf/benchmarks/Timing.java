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

  /** Three seconds of warm-up: after two, the deeper call chains of a cluster still get faster. */
  private static final Timing QUICK = new Timing(3, 1_000, 2, 500);

  private static final Timing FULL = new Timing(5, 1_000, 5, 1_000);

  static Timing of(CompareOptions options) {
    return options.quick() ? QUICK : FULL;
  }
}
