package dev.sheaf.benchmarks;

import java.nio.file.Path;

/** One question put to one rival once. */
interface Run {

  /**
   * Runs, in a JVM of its own.
   *
   * @param log the file for what the JVM says
   * @throws ComparisonException if the run fails; the message names the log
   */
  Measurement measure(Path log);
}
