// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.latency.ClosedLoad;
import dev.sheaf.benchmarks.latency.OpenLoad;
import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.rivals.Rival;
import dev.sheaf.benchmarks.servers.Quiet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs one client in a process of its own. It reads an {@link Order} per line, prints {@link
 * #BEGIN} and {@link #END} around the measured time and waits for a line after each, and then
 * prints {@link #DONE} with figures or {@link #FAILED} with a reason. It exits at the end of its
 * input.
 */
final class ClientMain {

  static final String BEGIN = "> begin";
  static final String END = "> end";
  static final String DONE = "> done ";
  static final String FAILED = "> failed ";

  /** The duration of the run that measures capacity before an open load. */
  private static final long CAPACITY_WARM_UP_MILLIS = 2_000;

  private static final long CAPACITY_MILLIS = 2_000;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  private final BufferedReader input;
  private final Client client;
  private double capacity;

  private ClientMain(Client client, BufferedReader input) {
    this.client = client;
    this.input = input;
  }

  /** Runs the client that the argument names. */
  public static void main(String[] args) throws IOException {
    Quiet.logging();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ClientMain main = new ClientMain(Client.valueOf(args[0]), input);
    String line = input.readLine();
    while (line != null) {
      System.out.println(main.answer(Order.parse(line)));
      line = input.readLine();
    }
    // Redisson and GLIDE leave non-daemon threads behind.
    System.exit(0);
  }

  private String answer(Order order) {
    try (Rival rival = client.connect(order.kind(), order.uri(), order.threads())) {
      return DONE + figures(order, rival);
    } catch (InterruptedException | RuntimeException | LinkageError e) {
      e.printStackTrace();
      return FAILED + String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }

  private String figures(Order order, Rival rival) throws InterruptedException {
    Supplier<Runnable> task = () -> order.work().by(rival);
    Runnable gate = order.measuredMillis() == 0 ? () -> {} : new Lines();
    if (order.work() == Work.OPEN) {
      return openLoad(order, task, gate);
    }
    ClosedLoad.Count count =
        order.threads() == 1 && !order.virtual()
            ? ClosedLoad.runAlone(task.get(), order.warmUpMillis(), order.measuredMillis(), gate)
            : closedLoad(order, task, order.warmUpMillis(), order.measuredMillis(), gate);
    double score = count.perSecond();
    if (!order.work().isRate()) {
      score = MICROS_PER_SECOND / score;
    }
    return figure("operations", (double) count.operations()) + figure("score", score);
  }

  private String openLoad(Order order, Supplier<Runnable> task, Runnable gate)
      throws InterruptedException {
    double perSecond = order.rate() > 0 ? order.rate() : shareOfCapacity(order, task);
    Histogram times =
        OpenLoad.run(
            order.threads(), perSecond, task, order.warmUpMillis(), order.measuredMillis(), gate);
    StringBuilder figures = new StringBuilder(figure("operations", (double) times.getTotalCount()));
    figures.append(figure("score", times.getValueAtPercentile(99) / NANOS_PER_MICRO));
    figures.append(figure("due/s", perSecond));
    for (double percentile : PERCENTILES) {
      String name = "p" + String.valueOf(percentile).replaceFirst("\\.0$", "") + "-us";
      figures.append(figure(name, times.getValueAtPercentile(percentile) / NANOS_PER_MICRO));
    }
    return figures.toString();
  }

  /** Measures what the client can do at most, the first time. */
  private double shareOfCapacity(Order order, Supplier<Runnable> task) throws InterruptedException {
    if (capacity == 0) {
      capacity =
          closedLoad(order, task, CAPACITY_WARM_UP_MILLIS, CAPACITY_MILLIS, () -> {}).perSecond();
    }
    if (capacity == 0) {
      throw new IllegalStateException("No operation ended while the capacity was measured");
    }
    return capacity * order.percent() / 100;
  }

  private static ClosedLoad.Count closedLoad(
      Order order, Supplier<Runnable> task, long warmUpMillis, long measuredMillis, Runnable gate)
      throws InterruptedException {
    ThreadFactory threads = order.virtual() ? virtualThreads() : ClientMain::thread;
    return ClosedLoad.run(order.threads(), threads, task, warmUpMillis, measuredMillis, gate);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  /** This code is compiled for JDKs without virtual threads. */
  private static ThreadFactory virtualThreads() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      return (ThreadFactory)
          Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("This JVM has no virtual threads", e);
    }
  }

  private static String figure(String name, double value) {
    return String.format(Locale.ROOT, "%s=%.4f ", name, value);
  }

  /** Tells the comparison when to read the costs. */
  private final class Lines implements Runnable {

    private @Nullable String last;

    @Override
    public void run() {
      last = BEGIN.equals(last) ? END : BEGIN;
      System.out.println(last);
      try {
        input.readLine();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
