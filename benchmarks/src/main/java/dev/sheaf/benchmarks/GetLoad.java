package dev.sheaf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
  public static void main(String[] args) throws IOException, InterruptedException {
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
      input.readLine();
      Expenses before = Expenses.soFar(uri);
      int seconds = Integer.parseInt(args[6]);
      LatencyHistogram times = load.run(seconds);
      print("reads", times.count());
      print("reads a second", (double) times.count() / seconds);
      print("p50 us", times.percentile(0.5) / NANOS_PER_MICRO);
      print("p90 us", times.percentile(0.9) / NANOS_PER_MICRO);
      print("p99 us", times.percentile(0.99) / NANOS_PER_MICRO);
      print("p99.9 us", times.percentile(0.999) / NANOS_PER_MICRO);
      print("max us", times.longest() / NANOS_PER_MICRO);
      Expenses.soFar(uri)
          .since(before, times.count())
          .forEach((cost, amount) -> print(cost.key(), amount));
      System.out.println("done");
      input.readLine();
    }
    // Redisson and GLIDE leave threads behind that are no daemons.
    System.exit(0);
  }

  private static void print(String name, double value) {
    System.out.printf(Locale.ROOT, "%s=%f%n", name, value);
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
