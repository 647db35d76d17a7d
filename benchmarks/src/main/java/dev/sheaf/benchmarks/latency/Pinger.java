package dev.sheaf.benchmarks.latency;

import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.Servers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Jedis;

/**
 * Another client of a server, which pings all the time and tells how long that took. It runs in a
 * process of its own, so that the garbage collector of the measured client does not hold it up.
 */
final class Pinger implements AutoCloseable {

  private static final long PAUSE_NANOS = 100_000;
  private static final int WARM_UP_PINGS = 2_000;
  private static final int MAX_PINGS = 4_000_000;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Process process;
  private final BufferedReader output;
  private String figures = "";

  private Pinger(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
  }

  /** Starts a pinger and waits until it is warm. */
  static Pinger start(String uri) {
    try {
      Process process =
          new ProcessBuilder(
                  System.getProperty("java.home") + "/bin/java",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Pinger.class.getName(),
                  uri)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      Pinger pinger = new Pinger(process);
      pinger.output.readLine();
      return pinger;
    } catch (IOException e) {
      throw new ComparisonException("Cannot start a process that pings: " + e.getMessage(), e);
    }
  }

  /** The 99.9th percentile and the maximum in milliseconds; there once this is closed. */
  String figures() {
    return figures;
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      figures = String.valueOf(output.readLine());
      process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  /** Pings until the standard input ends. */
  public static void main(String[] args) throws IOException {
    Quiet.logging();
    long[] nanos = new long[MAX_PINGS];
    int count = 0;
    AtomicBoolean ended = endOfInput();
    try (Jedis jedis = new Jedis(Servers.address(args[0]))) {
      for (int i = 0; i < WARM_UP_PINGS; i++) {
        jedis.ping();
      }
      System.out.println("warm");
      while (count < MAX_PINGS && !ended.get()) {
        long start = System.nanoTime();
        jedis.ping();
        nanos[count] = System.nanoTime() - start;
        count++;
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    System.out.printf(
        Locale.ROOT,
        "%.2f | %.2f%n",
        sorted[(int) Math.min(count - 1L, Math.round(0.999 * count))] / NANOS_PER_MILLI,
        sorted[count - 1] / NANOS_PER_MILLI);
  }

  /** Watches the standard input, whose end is the end of the comparison. */
  private static AtomicBoolean endOfInput() {
    AtomicBoolean ended = new AtomicBoolean();
    Thread reader =
        new Thread(
            () -> {
              try {
                System.in.readAllBytes();
              } catch (IOException e) {
                System.err.println("The pinger ends: " + e);
              }
              ended.set(true);
            });
    reader.setDaemon(true);
    reader.start();
    return ended;
  }
}
