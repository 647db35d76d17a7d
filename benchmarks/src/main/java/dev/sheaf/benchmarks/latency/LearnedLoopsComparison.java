// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.latency;

import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * Measures an unchanged loop that reads an item for each member of a set: with plain Lettuce, a
 * client that learns nothing, and one that has learned the loop, over a network with a round trip
 * of 1 ms. The clients take turns, run by run; a round reports the median of its runs.
 */
public final class LearnedLoopsComparison {

  private static final int ITEMS = 100;
  private static final int VALUE_BYTES = 100;
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int ROUNDS = 5;
  private static final int RUNS_PER_ROUND = 11;
  private static final Duration ONE_WAY = Duration.ofNanos(500_000);

  private final PrintStream out;

  /** Prints the figures there. */
  public LearnedLoopsComparison(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs on a redis-server.
   *
   * @throws ComparisonException if a loop reads a wrong value
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
        Sheaf<String, String> learning = Sheaf.builder(uri).learnLoops(true).connect()) {
      RedisClusterCommands<String, String> lettuce = client.connect().sync();
      store(plain);
      Map<String, RedisClusterCommands<String, String>> clients = new LinkedHashMap<>();
      clients.put("Lettuce", lettuce);
      clients.put("Sheaf, nothing learned", plain.sync());
      clients.put("Sheaf, learned", learning.sync());
      out.printf("%nA loop of %d over the members of a set, 1 ms for a round trip%n%n", ITEMS);
      out.println("| loop over | client | median ms | from, to | factor | round trips |");
      out.println("|:--|:--|--:|--:|--:|--:|");
      for (Loop loop : Loop.values()) {
        measure(proxy, loop, clients);
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
      sheaf.async().set("item:" + id, "x".repeat(VALUE_BYTES));
      sheaf.async().hset("hash:" + id, "name", "x".repeat(VALUE_BYTES));
    }
    sheaf.sync().ping();
  }

  /** The loops, as an application would write them. */
  private enum Loop {
    GET(Loop::gets),
    HGETALL(Loop::hashes);

    private final ToIntFunction<RedisClusterCommands<String, String>> body;

    Loop(ToIntFunction<RedisClusterCommands<String, String>> body) {
      this.body = body;
    }

    /** Runs once. Returns nanoseconds. */
    private long run(RedisClusterCommands<String, String> redis) {
      long start = System.nanoTime();
      int read = body.applyAsInt(redis);
      long took = System.nanoTime() - start;
      if (read != VALUE_BYTES * ITEMS) {
        throw new ComparisonException("Read " + read + " bytes of " + VALUE_BYTES * ITEMS);
      }
      return took;
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
      LatencyProxy proxy, Loop loop, Map<String, RedisClusterCommands<String, String>> clients) {
    // Measured separately: in turn with slower clients, the fastest would hardly run.
    for (RedisClusterCommands<String, String> client : clients.values()) {
      for (long begun = System.nanoTime(); System.nanoTime() - begun < WARM_UP_NANOS; ) {
        loop.run(client);
      }
    }
    Map<String, double[]> millis = new LinkedHashMap<>();
    Map<String, Long> roundTrips = new HashMap<>();
    clients.keySet().forEach(client -> millis.put(client, new double[ROUNDS]));
    for (int round = 0; round < ROUNDS; round++) {
      Map<String, long[]> nanos = new HashMap<>();
      for (int run = 0; run < RUNS_PER_ROUND; run++) {
        for (var client : clients.entrySet()) {
          long before = proxy.stats().roundTrips();
          long took = loop.run(client.getValue());
          nanos.computeIfAbsent(client.getKey(), c -> new long[RUNS_PER_ROUND])[run] = took;
          roundTrips.put(client.getKey(), proxy.stats().roundTrips() - before);
        }
      }
      for (var taken : nanos.entrySet()) {
        Arrays.sort(taken.getValue());
        Objects.requireNonNull(millis.get(taken.getKey()))[round] =
            taken.getValue()[RUNS_PER_ROUND / 2] / 1e6;
      }
    }
    double reference = 0;
    for (var taken : millis.entrySet()) {
      double[] rounds = taken.getValue();
      Arrays.sort(rounds);
      double median = rounds[ROUNDS / 2];
      reference = reference == 0 ? median : reference;
      out.printf(
          "| %s | %s | %.2f | %.2f, %.2f | %.1f | %d |%n",
          loop,
          taken.getKey(),
          median,
          rounds[0],
          rounds[ROUNDS - 1],
          reference / median,
          roundTrips.get(taken.getKey()));
    }
  }
}
