package dev.sheaf.benchmarks.latency;

import dev.sheaf.LoopLearning;
import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * A loop that reads an item for each member of a set, as it stands: by plain Lettuce, by a client
 * that learns nothing, and by one that has learned the loop; over a network that takes 1 ms for a
 * round trip.
 */
public final class LearnedLoopsComparison {

  private static final int ITEMS = 100;
  private static final int WARM_UP_RUNS = 20;
  private static final int RUNS = 51;
  private static final Duration ONE_WAY = Duration.ofNanos(500_000);
  private static final double NANOS_PER_MILLI = 1e6;

  private final PrintStream out;

  /** Prints its figures there. */
  public LearnedLoopsComparison(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs on a redis-server.
   *
   * @throws ComparisonException if a loop reads something wrong
   */
  public void run() {
    try (RealRedis server = RealRedis.start()) {
      try (LatencyProxy proxy =
          LatencyProxy.builder().target("127.0.0.1", server.port()).oneWayDelay(ONE_WAY).start()) {
        run(proxy);
      }
    }
  }

  private void run(LatencyProxy proxy) {
    String uri = "redis://127.0.0.1:" + proxy.port();
    RedisClient client = RedisClient.create(uri);
    try (Sheaf<String, String> plain = Sheaf.connect(uri);
        Sheaf<String, String> learning =
            Sheaf.builder(uri).learnLoops(LoopLearning.defaults()).connect()) {
      RedisClusterCommands<String, String> lettuce = client.connect().sync();
      store(plain);
      out.printf("%nA loop of %d over the members of a set, 1 ms for a round trip%n%n", ITEMS);
      out.println("| loop over | client | median ms | from, to | round trips |");
      out.println("|:--|:--|--:|--:|--:|");
      for (Loop loop : Loop.values()) {
        measure(proxy, loop, "Lettuce", lettuce);
        measure(proxy, loop, "Sheaf, nothing learned", plain.sync());
        measure(proxy, loop, "Sheaf, learned", learning.sync());
      }
      out.println();
      learning.loops().forEach(out::println);
    } finally {
      client.shutdown();
    }
  }

  private static void store(Sheaf<String, String> sheaf) {
    for (int i = 0; i < ITEMS; i++) {
      String id = Integer.toString(1_000 + 7 * i, 36);
      sheaf.async().sadd("cart", id);
      sheaf.async().set("item:" + id, "x".repeat(100));
      sheaf.async().hset("hash:" + id, "name", "x".repeat(100));
    }
    sheaf.sync().ping();
  }

  /** The loops, each as an application would write it. */
  private enum Loop {
    GET(Loop::gets),
    HGETALL(Loop::hashes);

    private final ToIntFunction<RedisClusterCommands<String, String>> body;

    Loop(ToIntFunction<RedisClusterCommands<String, String>> body) {
      this.body = body;
    }

    private static int gets(RedisClusterCommands<String, String> redis) {
      int read = 0;
      Set<String> ids = redis.smembers("cart");
      for (String id : ids) {
        read += redis.get("item:" + id).length();
      }
      return read;
    }

    private static int hashes(RedisClusterCommands<String, String> redis) {
      int read = 0;
      Set<String> ids = redis.smembers("cart");
      for (String id : ids) {
        read += redis.hgetall("hash:" + id).getOrDefault("name", "").length();
      }
      return read;
    }
  }

  private void measure(
      LatencyProxy proxy, Loop loop, String client, RedisClusterCommands<String, String> redis) {
    long[] nanos = new long[RUNS];
    long roundTrips = 0;
    for (int run = -WARM_UP_RUNS; run < RUNS; run++) {
      long before = proxy.stats().roundTrips();
      long start = System.nanoTime();
      int read = loop.body.applyAsInt(redis);
      long took = System.nanoTime() - start;
      if (read != 100 * ITEMS) {
        throw new ComparisonException("Read " + read + " bytes of " + 100 * ITEMS);
      }
      if (run >= 0) {
        nanos[run] = took;
        roundTrips = proxy.stats().roundTrips() - before;
      }
    }
    Arrays.sort(nanos);
    out.printf(
        "| %s | %s | %.2f | %.2f, %.2f | %d |%n",
        loop,
        client,
        nanos[RUNS / 2] / NANOS_PER_MILLI,
        nanos[0] / NANOS_PER_MILLI,
        nanos[RUNS - 1] / NANOS_PER_MILLI,
        roundTrips);
  }
}
