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

  private static final int SECOND = 1_000;
  private static final int HALF_A_SECOND = 500;

  /**
   * What a scope takes, in seconds.
   *
   * @param first the warm-up of what a JVM answers first; after two seconds, the deeper call chains
   *     of a cluster still get faster
   * @param later the warm-up of what it answers afterwards, with code compiled already
   * @param firstOfCrowd the same with many threads, which compete with the compiler for few cores
   *     and settle after about five seconds
   * @param laterOfCrowd likewise
   */
  private record Pace(int first, int later, int firstOfCrowd, int laterOfCrowd) {}

  /** With less, a client that finds out by trial how to wait has not found out. */
  static final int LEAST_WARM_UP_OF_CROWD = 5;

  private static Pace pace(Scope scope) {
    return switch (scope) {
      case FULL -> new Pace(5, 5, 8, 8);
      case QUICK -> new Pace(3, 2, LEAST_WARM_UP_OF_CROWD, LEAST_WARM_UP_OF_CROWD);
      case TARGETS -> new Pace(5, 3, 8, 6);
      case DETAILS -> new Pace(5, 1, 6, LEAST_WARM_UP_OF_CROWD);
    };
  }

  /**
   * For one answer.
   *
   * @param crowd whether many threads wait
   * @param first whether the JVM has answered nothing before
   */
  static Timing of(Scope scope, boolean crowd, boolean first) {
    Pace pace = pace(scope);
    int seconds =
        crowd ? (first ? pace.firstOfCrowd : pace.laterOfCrowd) : (first ? pace.first : pace.later);
    return switch (scope) {
      case FULL -> new Timing(seconds, SECOND, 5, SECOND);
      case QUICK -> new Timing(seconds, SECOND, 2, HALF_A_SECOND);
      case TARGETS -> new Timing(seconds, SECOND, 3, SECOND);
      case DETAILS -> new Timing(seconds, SECOND, crowd ? 3 : 2, SECOND);
    };
  }

  /** How long all answers of a kind are measured, in words. */
  static String inWords(Scope scope, boolean crowd) {
    Timing first = of(scope, crowd, true);
    int later = of(scope, crowd, false).warmups;
    return (scope.sharesJvms() ? "JVMs that answer several questions, " : "1 JVM, ")
        + "warm-up "
        + first.warmups
        + " s"
        + (later == first.warmups ? "" : ", " + later + " s after the first")
        + ", measured "
        + first.measurements
        + " x "
        + first.measurementMillis
        + " ms";
  }

  int warmUpSeconds() {
    return warmups * warmupMillis / SECOND;
  }

  int measuredSeconds() {
    return Math.max(1, measurements * measurementMillis / SECOND);
  }

  long millis() {
    return (long) warmups * warmupMillis + (long) measurements * measurementMillis;
  }
}
