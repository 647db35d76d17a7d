// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.latency;

import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.Servers;
import dev.sheaf.benchmarks.servers.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import redis.clients.jedis.Jedis;

/**
 * Another client of a server, which sends PINGs continuously and reports their latency. It runs in
 * a process of its own, so that the garbage collector of the measured client does not affect it.
 */
final class Pinger implements AutoCloseable {

  private static final long PAUSE_NANOS = 100_000;
  private static final int WARM_UP_PINGS = 2_000;
  private static final int STOP_SECONDS = 10;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Process process;
  private final BufferedReader output;
  private String figures = "";

  /** Starts a pinger and waits until it is warm. */
  Pinger(String uri) {
    String java = System.getProperty("java.home") + "/bin/java";
    String classes = System.getProperty("java.class.path");
    try {
      process =
          new ProcessBuilder(java, "-XX:+UseSerialGC", "-cp", classes, Pinger.class.getName(), uri)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
      output.readLine();
    } catch (IOException e) {
      throw new ComparisonException("Cannot start a process that pings: " + e.getMessage(), e);
    }
  }

  /**
   * Returns the 99.9th percentile and the maximum in milliseconds; available once this is closed.
   */
  String figures() {
    return figures;
  }

  @Override
  public void close() {
    Tools.end(process, STOP_SECONDS);
    try {
      figures = String.valueOf(output.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends PINGs until the standard input ends. */
  public static void main(String[] args) throws IOException {
    Quiet.logging();
    Histogram times = new Histogram(3);
    try (Jedis jedis = new Jedis(Servers.address(args[0]))) {
      for (int i = 0; i < WARM_UP_PINGS; i++) {
        jedis.ping();
      }
      System.out.println("warm");
      Thread input = new Thread(Pinger::awaitEnd);
      input.setDaemon(true);
      input.start();
      while (input.isAlive()) {
        long start = System.nanoTime();
        jedis.ping();
        times.recordValue(System.nanoTime() - start);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%.2f | %.2f%n",
        times.getValueAtPercentile(99.9) / NANOS_PER_MILLI,
        times.getMaxValue() / NANOS_PER_MILLI);
  }

  private static void awaitEnd() {
    try {
      System.in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
