// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.latency;

import dev.sheaf.Batch;
import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.rivals.LettuceRival;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/**
 * Measures all ways to sum the sizes of 100,000 sorted sets, and what another client of the server
 * experiences meanwhile.
 */
public final class SizesComparison {

  static final int KEYS = 100_000;
  private static final int RUNS = 25;

  /** The warm-up time. */
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final Pattern LONGEST_CALLS =
      Pattern.compile("usec_(?:zcard|eval|evalsha_ro):.*p99\\.9=([0-9.]+)");

  private final PrintStream out;
  private final List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "sizes:" + i).toList();

  /** Prints the figures there. */
  public SizesComparison(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs on one server and on a cluster.
   *
   * @throws ComparisonException if a sum is wrong
   */
  public void run() {
    for (ServerKind kind : List.of(ServerKind.STANDALONE, ServerKind.CLUSTER)) {
      try (Servers servers = Servers.open(kind)) {
        run(kind, servers.uri());
      }
    }
  }

  private void run(ServerKind kind, String uri) {
    out.printf("%nSum of %,d ZCARDs, %s%n", KEYS, kind);
    try (Sheaf<String, String> sheaf = Sheaf.connect(uri);
        LettuceRival lettuce = new LettuceRival(kind, uri, 1)) {
      Measured sizes = new Measured(uri, store(sheaf));
      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
      String[] all = keys.toArray(String[]::new);
      out.println("| way | ms | from, to | factor | PING p99.9 ms | max | longest calls ms |");
      out.println("|:--|--:|--:|--:|--:|--:|--:|");
      sizes.measure("loop of zcard()", 1, () -> loop(lettuce.sync()));
      sizes.measure("all futures", RUNS, () -> futures(lettuce.async()));
      try {
        sizes.measure("one EVAL", RUNS, () -> eval(lettuce.sync(), all));
      } catch (RedisCommandExecutionException e) {
        out.println("| one EVAL | impossible: " + e.getMessage() + " | | | | |");
      }
      sizes.measure(
          "scatter",
          RUNS,
          () -> sum.scatter(keys, List.of(), Collectors.summingLong(size -> size)));
    }
  }

  private long store(Sheaf<String, String> sheaf) {
    long members = 0;
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < KEYS; i++) {
        String key = keys.get(i);
        int size = i % 3;
        for (int member = 0; member < size; member++) {
          String name = "m" + member;
          batch.add(redis -> redis.zadd(key, 1, name));
        }
        members += size;
      }
    }
    return members;
  }

  private long loop(RedisClusterCommands<String, String> sync) {
    long sum = 0;
    for (String key : keys) {
      sum += sync.zcard(key);
    }
    return sum;
  }

  private long futures(RedisClusterAsyncCommands<String, String> async) {
    List<RedisFuture<Long>> sizes = new ArrayList<>();
    for (String key : keys) {
      sizes.add(async.zcard(key));
    }
    long sum = 0;
    for (RedisFuture<Long> size : sizes) {
      sum += size.toCompletableFuture().join();
    }
    return sum;
  }

  private static long eval(RedisClusterCommands<String, String> sync, String[] all) {
    return sync.<Long>eval(ScriptLibrary.SUM_ZCARD.text(), ScriptOutputType.INTEGER, all);
  }

  /** The ways on one server; the others are compared with the first. */
  private final class Measured {

    private final String uri;
    private final long expected;
    private double first;

    Measured(String uri, long expected) {
      this.uri = uri;
      this.expected = expected;
    }

    /** A single run of a way that takes so long that it is warm before its end. */
    void measure(String name, int runs, LongSupplier way) {
      long warm = System.nanoTime() + (runs == 1 ? 0 : WARM_UP_NANOS);
      while (System.nanoTime() - warm < 0) {
        check(name, way.getAsLong());
      }
      double[] millis = new double[runs];
      double longest;
      Pinger pinger = new Pinger(uri);
      try (pinger;
          Jedis jedis = new Jedis(Servers.address(uri))) {
        jedis.configResetStat();
        for (int i = 0; i < runs; i++) {
          long start = System.nanoTime();
          long sum = way.getAsLong();
          millis[i] = (System.nanoTime() - start) / NANOS_PER_MILLI;
          check(name, sum);
        }
        longest = longestCalls(jedis.info("latencystats"));
      }
      Arrays.sort(millis);
      double median = millis[runs / 2];
      first = first == 0 ? median : first;
      out.printf(
          Locale.ROOT,
          "| %s | %.1f | %.1f, %.1f | %.1f | %s | %.2f |%n",
          name,
          median,
          millis[0],
          millis[runs - 1],
          first / median,
          pinger.figures(),
          longest);
    }

    private void check(String name, long sum) {
      if (sum != expected) {
        throw new ComparisonException(name + " gives " + sum + " and not " + expected);
      }
    }
  }

  /** The 99.9th percentile of the calls that occupied the server, by its own clock. */
  private static double longestCalls(String latencies) {
    Matcher matcher = LONGEST_CALLS.matcher(latencies);
    double longest = 0;
    while (matcher.find()) {
      longest = Math.max(longest, Double.parseDouble(matcher.group(1)) / MICROS_PER_MILLI);
    }
    return longest;
  }
}
