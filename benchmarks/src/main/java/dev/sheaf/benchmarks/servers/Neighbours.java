package dev.sheaf.benchmarks.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes that compute without a pause beside what is measured. They end with this JVM. */
public final class Neighbours implements AutoCloseable {

  /** The loop runs in the background; the shell kills it when its input ends. */
  private static final String COMPUTE =
      "(while :; do :; done) </dev/null & read -r line; kill -9 $!";

  private final List<Process> processes = new ArrayList<>();

  /**
   * Starts them.
   *
   * @throws ComparisonException if one cannot be started
   */
  public Neighbours(int count) {
    try {
      for (int i = 0; i < count; i++) {
        processes.add(new ProcessBuilder("sh", "-c", COMPUTE).start());
      }
    } catch (IOException e) {
      close();
      throw new ComparisonException("Cannot start a computing process: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    for (Process process : processes) {
      try {
        process.getOutputStream().close();
        process.waitFor();
      } catch (IOException e) {
        process.destroyForcibly();
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
