package dev.sheaf.benchmarks;

import java.time.Duration;

/** How long something that was planned will still take. Not thread-safe. */
final class Progress {

  private static final double NANOS_PER_MILLI = 1e6;

  private final long planned;
  private long begin = System.nanoTime();
  private long done;

  Progress(long plannedMillis) {
    this.planned = plannedMillis;
  }

  /** Begins now: what was prepared before is no part of the plan. */
  void begin() {
    begin = System.nanoTime();
  }

  /** A part of the plan is done. */
  void done(long plannedMillis) {
    done += plannedMillis;
  }

  /** Since the beginning. */
  long nanos() {
    return System.nanoTime() - begin;
  }

  /** The time left, if the rest is as much slower than planned as what is done, in words. */
  String left() {
    return inWords(left(planned, done, nanos() / NANOS_PER_MILLI));
  }

  /** In milliseconds. */
  static double left(long planned, long done, double elapsed) {
    double slowness = done == 0 ? 1 : elapsed / done;
    return (planned - done) * slowness;
  }

  static String inWords(double millis) {
    Duration left = Duration.ofMillis(Math.round(millis));
    return left.toMinutes() == 0
        ? left.toSeconds() + " s"
        : left.plusSeconds(30).toMinutes() + " min";
  }
}
