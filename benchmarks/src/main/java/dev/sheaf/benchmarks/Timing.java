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

  /** Many threads on few cores compete with the compiler: they settle after about five seconds. */
  private static final Timing QUICK_CROWD = new Timing(5, 1_000, 2, 500);

  private static final int CROWD = 64;

  private static final Timing FULL = new Timing(5, 1_000, 5, 1_000);

  private static final Timing FULL_CROWD = new Timing(8, 1_000, 5, 1_000);

  static Timing of(CompareOptions options, int threads) {
    if (!options.quick()) {
      return threads < CROWD ? FULL : FULL_CROWD;
    }
    return threads < CROWD ? QUICK : QUICK_CROWD;
  }

  @Override
  public String toString() {
    return "warm-up "
        + warmups
        + " x "
        + warmupMillis
        + " ms, measured "
        + measurements
        + " x "
        + measurementMillis
        + " ms";
  }
}
