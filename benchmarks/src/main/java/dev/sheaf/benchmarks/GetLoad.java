package dev.sheaf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read, in a process of its own: each as soon as it has its value, or at moments that
 * nobody's speed can move. Those lie at random, as those of independent visitors do, and the time
 * of a read begins at its moment, even if its thread was still waiting for the one before.
 *
 * <p>Warms up, prints {@code warm}, measures once a line is there to read, and prints figures as
 * {@code name=value}; then it waits for another line.
 */
final class GetLoad {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;

  /** How long a load that is behind its schedule is worked off; what is left then counts as is. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** How the names of questions that it answers begin. */
  static final String QUESTION = "latency-";

  static final int THREADS = 64;

  /** The parameter with the reads a second; 0 for as many as the threads get. */
  static final String RATE = "rate";

  static final List<String> PERCENTILES =
      List.of("p50 us", "p90 us", "p99 us", "p99.9 us", "max us");

  private static final double[] SHARES = {0.5, 0.9, 0.99, 0.999, 1};

  /** What rivals are compared by. */
  private static final String SCORE = "p99 us";

  private static final String READS = "reads";

  private final Rival rival;
  private final int threads;
  private final double perSecond;

  private GetLoad(Rival rival, int threads, double perSecond) {
    this.rival = rival;
    this.threads = threads;
    this.perSecond = perSecond;
  }

  /**
   * Runs.
   *
   * @param args client, kind of server, its URI, threads, reads a second of all threads together (0
   *     for as many as they get), seconds of warm-up, seconds measured
   */
  public static void main(String[] args) throws InterruptedException {
    Quiet.logging();
    Client client = Client.valueOf(args[0]);
    String uri = args[2];
    int threads = Integer.parseInt(args[3]);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (Rival rival = client.connect(ServerKind.valueOf(args[1]), uri, threads)) {
      GetLoad load = new GetLoad(rival, threads, Double.parseDouble(args[4]));
      load.run(Integer.parseInt(args[5]));
      System.out.println("warm");
      awaitLine(input);
      load.figures(uri, Integer.parseInt(args[6])).forEach(GetLoad::print);
      System.out.println("done");
      awaitLine(input);
    }
    // Redisson and GLIDE leave threads behind that are no daemons.
    System.exit(0);
  }

  private static void awaitLine(BufferedReader input) {
    try {
      input.readLine();
    } catch (IOException e) {
      // Whoever listened is gone; there is nothing left to wait for.
    }
  }

  private static void print(String name, double value) {
    System.out.printf(Locale.ROOT, "%s=%f%n", name, value);
  }

  /** Carries out an order in this JVM; the score is the 99th percentile. */
  static Measurement measure(Order order) throws InterruptedException {
    Client client = Client.valueOf(parameter(order, Order.CLIENT));
    double perSecond = Double.parseDouble(parameter(order, RATE));
    try (Rival rival = client.connect(order.server(), order.uri(), order.threads())) {
      GetLoad load = new GetLoad(rival, order.threads(), perSecond);
      load.run(order.timing().warmUpSeconds());
      Map<String, Double> figures = load.figures(order.uri(), order.timing().measuredSeconds());
      figures.remove(READS);
      double score = Objects.requireNonNull(figures.get(SCORE));
      return new Measurement(score, SCORE, false, figures);
    }
  }

  private static String parameter(Order order, String name) {
    return Objects.requireNonNull(order.parameters().get(name), name);
  }

  private Map<String, Double> figures(String uri, int seconds) throws InterruptedException {
    Expenses before = Expenses.soFar(uri);
    LatencyHistogram times = run(seconds);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(READS, (double) times.count());
    figures.put("reads a second", (double) times.count() / seconds);
    for (int i = 0; i < SHARES.length; i++) {
      figures.put(PERCENTILES.get(i), times.percentile(SHARES[i]) / NANOS_PER_MICRO);
    }
    Expenses.soFar(uri)
        .since(before, times.count())
        .forEach((cost, amount) -> figures.put(cost.key(), amount));
    return figures;
  }

  private LatencyHistogram run(int seconds) throws InterruptedException {
    long start = System.nanoTime();
    long end = start + TimeUnit.SECONDS.toNanos(seconds);
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Reader reader = new Reader(start, end);
      readers.add(reader);
      reader.start();
    }
    LatencyHistogram all = new LatencyHistogram();
    for (Reader reader : readers) {
      reader.join();
      if (reader.failure != null) {
        throw new ComparisonException("A read failed: " + reader.failure, reader.failure);
      }
      all.addAll(reader.times);
    }
    return all;
  }

  private final class Reader extends Thread {

    private final LatencyHistogram times = new LatencyHistogram();
    private final long end;
    private long due;
    private volatile @Nullable RuntimeException failure;

    Reader(long start, long end) {
      this.due = start;
      this.end = end;
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        if (perSecond == 0) {
          readAtOnce();
        } else {
          readWhenDue();
        }
      } catch (RuntimeException e) {
        failure = e;
      }
    }

    private void readAtOnce() {
      long now = System.nanoTime();
      while (now - end < 0) {
        read();
        long then = now;
        now = System.nanoTime();
        times.add(now - then);
      }
    }

    private void readWhenDue() {
      advance();
      while (due - end < 0) {
        long now = System.nanoTime();
        if (now - end > GRACE_NANOS) {
          times.add(now - due);
        } else if (due - now > 0) {
          LockSupport.parkNanos(due - now);
          continue;
        } else {
          read();
          times.add(System.nanoTime() - due);
        }
        advance();
      }
    }

    private void advance() {
      double chance = 1 - ThreadLocalRandom.current().nextDouble();
      due += (long) (-Math.log(chance) * NANOS_PER_SECOND * threads / perSecond);
    }

    private void read() {
      int index = Dataset.randomIndex();
      Dataset.check(index, rival.get(Dataset.key(index)));
    }
  }
}
