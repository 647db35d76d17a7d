// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Computing processes that run beside what is measured. They end with this JVM. */
public final class Neighbours implements AutoCloseable {

  /** The loops run in the background; the shell kills them when its input ends. */
  private static final String COMPUTE =
      """
      while [ $((n += 1)) -le "$1" ]; do (while :; do :; done) </dev/null & all="$all $!"; done
      read -r line; kill -9 $all""";

  private static final int STOP_SECONDS = 10;

  private final @Nullable Process shell;

  /**
   * Starts this many processes.
   *
   * @throws ComparisonException if that fails
   */
  public Neighbours(int count) {
    try {
      shell = count == 0 ? null : new ProcessBuilder("sh", "-c", COMPUTE, "sh", "" + count).start();
    } catch (IOException e) {
      throw new ComparisonException("Cannot start computing processes: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (shell != null) {
      Tools.end(shell, STOP_SECONDS);
    }
  }
}
