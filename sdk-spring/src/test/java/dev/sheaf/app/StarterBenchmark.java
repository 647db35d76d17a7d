// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.spring.SheafOperations;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What the starter changes for templates, against a server in another process. The first argument
 * says what to measure: {@code threads}, {@code page}, {@code connection}, {@code start} or {@code
 * repository} for {@code findAllById} over 1 ms with and without learned loops; the second is the
 * server's URI, the third whether it is a cluster, the fourth which ways to read a page are
 * measured, by a part of their names. With {@code -Dobserved=true} Spring Boot observes each
 * command.
 */
final class StarterBenchmark {

  private static final int THREADS = 64;
  static final int PAGE = 100;
  private static final int VALUE_CHARS = 200;
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(2_000);
  static final int ROUNDS = 5;

  /** Of ten seconds in all for each application where threads are measured. */
  private static final int WARM_UP_ROUNDS = 5;

  private static final String PIPELINED = "executePipelined, without Sheaf";
  private static final String LOOP = "operations.loop";

  /** Spring Boot observes each command where there is an actuator, as on this class path. */
  private static final boolean OBSERVED = Boolean.getBoolean("observed");

  private static final String OBSERVATION =
      "org.springframework.boot.data.redis.autoconfigure.observation"
          + ".LettuceObservationAutoConfiguration";

  private StarterBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    String uri = arguments[1];
    boolean cluster = arguments.length > 2 && Boolean.parseBoolean(arguments[2]);
    switch (arguments[0]) {
      case "threads" -> threads(uri, cluster);
      case "page" -> page(uri, cluster, part(arguments));
      case "connection" -> connection(uri, cluster);
      case "start" -> start(uri, cluster);
      case "repository" -> repository(uri);
      default -> throw new IllegalArgumentException("There is no " + arguments[0]);
    }
  }

  private static String part(String[] arguments) {
    return arguments.length > 3 ? arguments[3] : "";
  }

  private static ConfigurableApplicationContext application(
      String uri, boolean cluster, boolean sheaf) {
    return application(uri, cluster, OBSERVED, "--sheaf.enabled=" + sheaf);
  }

  /**
   * Starts the application.
   *
   * @param observed whether Spring Boot observes each command
   */
  static ConfigurableApplicationContext application(
      String uri, boolean cluster, boolean observed, String argument) {
    SpringApplication application = new SpringApplication(ShopApplication.class);
    application.setLogStartupInfo(false);
    return application.run(
        cluster
            ? "--spring.data.redis.cluster.nodes=" + uri.replace("redis://", "")
            : "--spring.data.redis.url=" + uri,
        "--spring.main.web-application-type=none",
        "--spring.main.banner-mode=off",
        argument,
        "--spring.autoconfigure.exclude=" + (observed ? "" : OBSERVATION));
  }

  static List<String> fill(StringRedisTemplate redis, int keys) {
    String value = "v".repeat(VALUE_CHARS);
    List<String> names = IntStream.range(0, keys).mapToObj(i -> "bench:" + i).toList();
    names.forEach(name -> redis.opsForValue().set(name, value));
    return names;
  }

  // ---- Many threads

  private static void threads(String uri, boolean cluster) throws Exception {
    try (var plain = application(uri, cluster, false);
        var sheaf = application(uri, cluster, true)) {
      StringRedisTemplate without = plain.getBean(StringRedisTemplate.class);
      StringRedisTemplate with = sheaf.getBean(StringRedisTemplate.class);
      List<String> keys = fill(without, 1_000);
      List<Double> plainRates = new ArrayList<>();
      List<Double> sheafRates = new ArrayList<>();
      for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
        double off = rate(without, keys);
        double on = rate(with, keys);
        if (round >= 0) {
          plainRates.add(off);
          sheafRates.add(on);
        }
        System.out.printf(Locale.ROOT, "round %d: %,.0f/s without, %,.0f/s with%n", round, off, on);
      }
      System.out.printf(
          Locale.ROOT,
          "%d threads, medians: %,.0f/s without, %,.0f/s with: %.2f times%n",
          THREADS,
          median(plainRates),
          median(sheafRates),
          median(sheafRates) / median(plainRates));
    }
  }

  /** The reads of many threads in a second, by a round. */
  static double rate(StringRedisTemplate redis, List<String> keys) throws Exception {
    LongAdder reads = new LongAdder();
    CountDownLatch done = new CountDownLatch(THREADS);
    long begin = System.nanoTime();
    for (int i = 0; i < THREADS; i++) {
      int first = i * 31;
      new Thread(
              () -> {
                try {
                  long count = 0;
                  while (System.nanoTime() - begin < ROUND_NANOS) {
                    redis.opsForValue().get(keys.get((int) ((first + count) % keys.size())));
                    count++;
                  }
                  reads.add(count);
                } finally {
                  done.countDown();
                }
              })
          .start();
    }
    done.await();
    return reads.sum() * 1e9 / (System.nanoTime() - begin);
  }

  // ---- A page

  private static void page(String uri, boolean cluster, String part) {
    try (var plain = application(uri, cluster, false);
        var sheaf = application(uri, cluster, true)) {
      StringRedisTemplate without = plain.getBean(StringRedisTemplate.class);
      StringRedisTemplate with = sheaf.getBean(StringRedisTemplate.class);
      SheafOperations<String, String> operations = SheafOperations.over(with);
      List<String> keys = fill(without, PAGE);
      Map<String, Supplier<List<?>>> ways = new LinkedHashMap<>();
      ways.put("loop, without Sheaf", () -> loop(without, keys));
      ways.put(PIPELINED, () -> pipelined(without, keys));
      ways.put("multiGet, without Sheaf", () -> without.opsForValue().multiGet(keys));
      ways.put("loop, with Sheaf and unchanged", () -> loop(with, keys));
      ways.put("executePipelined, with Sheaf", () -> pipelined(with, keys));
      ways.put("multiGet, with Sheaf", () -> with.opsForValue().multiGet(keys));
      ways.put(LOOP, () -> loop(with, operations.loop(keys)));
      ways.put("operations.getAll", () -> List.copyOf(operations.getAll(keys).values()));
      ways.keySet().removeIf(name -> !name.contains(part));
      for (var way : ways.entrySet()) {
        if (way.getValue().get().size() != PAGE) {
          throw new IllegalStateException(way.getKey() + " read another number of values");
        }
      }
      double[][] times = new double[ways.size()][ROUNDS];
      for (int round = -2; round < ROUNDS; round++) {
        int i = 0;
        for (Supplier<List<?>> way : ways.values()) {
          double micros = micros(way);
          if (round >= 0) {
            times[i][round] = micros;
          }
          i++;
        }
      }
      int i = 0;
      for (String way : ways.keySet()) {
        Arrays.sort(times[i]);
        System.out.printf(
            Locale.ROOT,
            "%-36s %8.0f us a page of %d (%.0f-%.0f)%n",
            way,
            times[i][ROUNDS / 2],
            PAGE,
            times[i][0],
            times[i][ROUNDS - 1]);
        i++;
      }
      ratio(new ArrayList<>(ways.keySet()), times);
    }
  }

  private static void ratio(List<String> ways, double[][] times) {
    int pipelined = ways.indexOf(PIPELINED);
    int loop = ways.indexOf(LOOP);
    if (pipelined >= 0 && loop >= 0) {
      System.out.printf(
          Locale.ROOT,
          "%s takes 1/%.1f of %s%n",
          LOOP,
          times[pipelined][ROUNDS / 2] / times[loop][ROUNDS / 2],
          PIPELINED);
    }
  }

  // ---- A repository, over a network that takes 1 ms for a round trip

  private static void repository(String uri) {
    URI address = URI.create(uri);
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(address.getHost(), address.getPort())
                .oneWayDelay(Duration.ofNanos(500_000))
                .start();
        var plain =
            application(
                "redis://127.0.0.1:" + proxy.port(), false, OBSERVED, "--sheaf.enabled=false");
        var learning =
            application(
                "redis://127.0.0.1:" + proxy.port(), false, OBSERVED, "--sheaf.loops.learn=true")) {
      ItemRepository without = plain.getBean(ItemRepository.class);
      ItemRepository with = learning.getBean(ItemRepository.class);
      for (int size : List.of(PAGE, 30)) {
        List<String> ids = IntStream.range(0, size).mapToObj(i -> "number" + 7 * i).toList();
        ids.forEach(id -> without.save(new Item(id, "name of " + id, 1)));
        long warmedUp = System.nanoTime() + 5 * ROUND_NANOS;
        while (System.nanoTime() < warmedUp) {
          millis(proxy, without, ids, 1);
          millis(proxy, with, ids, 1);
        }
        double[][] rounds = new double[ROUNDS][];
        for (int round = 0; round < ROUNDS; round++) {
          double[] off = millis(proxy, without, ids, 11);
          double[] on = millis(proxy, with, ids, 11);
          rounds[round] = new double[] {off[0] / on[0], off[0], on[0], off[1], on[1]};
          System.out.printf(
              Locale.ROOT,
              "findAllById of %d: %.2f ms and %.0f round trips without, %.2f ms and %.0f with, 1/%.1f%n",
              size,
              off[0],
              off[1],
              on[0],
              on[1],
              off[0] / on[0]);
        }
        Arrays.sort(rounds, Comparator.comparingDouble(round -> round[0]));
        System.out.printf(
            Locale.ROOT,
            "findAllById of %d: median 1/%.1f, 1/%.1f to 1/%.1f%n",
            size,
            rounds[ROUNDS / 2][0],
            rounds[0][0],
            rounds[ROUNDS - 1][0]);
      }
    }
  }

  /** The median of some calls, and the round trips of the last. */
  private static double[] millis(
      LatencyProxy proxy, ItemRepository items, List<String> ids, int calls) {
    double[] millis = new double[calls];
    long roundTrips = 0;
    for (int i = 0; i < calls; i++) {
      roundTrips = proxy.stats().roundTrips();
      long begin = System.nanoTime();
      long found = items.findAllById(ids).spliterator().getExactSizeIfKnown();
      millis[i] = (System.nanoTime() - begin) / 1e6;
      roundTrips = proxy.stats().roundTrips() - roundTrips;
      if (found != ids.size()) {
        throw new IllegalStateException("Found " + found + " of " + ids.size());
      }
    }
    Arrays.sort(millis);
    return new double[] {millis[calls / 2], roundTrips};
  }

  static List<String> loop(StringRedisTemplate redis, Iterable<String> keys) {
    List<String> values = new ArrayList<>(PAGE);
    for (String key : keys) {
      values.add(redis.opsForValue().get(key));
    }
    return values;
  }

  private static List<Object> pipelined(StringRedisTemplate redis, List<String> keys) {
    return redis.executePipelined(
        (RedisCallback<Object>)
            connection -> {
              for (String key : keys) {
                connection.stringCommands().get(key.getBytes(UTF_8));
              }
              return null;
            });
  }

  /** The mean of a second. */
  static double micros(Supplier<List<?>> way) {
    long begin = System.nanoTime();
    long pages = 0;
    while (System.nanoTime() - begin < ROUND_NANOS / 2) {
      way.get();
      pages++;
    }
    return (System.nanoTime() - begin) / 1e3 / pages;
  }

  // ---- The connection of Spring that each call of a template opens and closes

  private static void connection(String uri, boolean cluster) {
    try (var plain = application(uri, cluster, false);
        var sheaf = application(uri, cluster, true)) {
      List<Double> without = new ArrayList<>();
      List<Double> with = new ArrayList<>();
      for (int round = -2; round < ROUNDS; round++) {
        double off = nanosToOpenAndClose(plain.getBean(RedisConnectionFactory.class));
        double on = nanosToOpenAndClose(sheaf.getBean(RedisConnectionFactory.class));
        if (round >= 0) {
          without.add(off);
          with.add(on);
        }
      }
      System.out.printf(
          Locale.ROOT,
          "a connection, opened and closed, medians: %.0f ns without, %.0f ns with%n",
          median(without),
          median(with));
    }
  }

  private static double nanosToOpenAndClose(RedisConnectionFactory factory) {
    long begin = System.nanoTime();
    long count = 0;
    while (System.nanoTime() - begin < ROUND_NANOS / 2) {
      for (int i = 0; i < 1_000; i++) {
        factory.getConnection().close();
      }
      count += 1_000;
    }
    return (double) (System.nanoTime() - begin) / count;
  }

  // ---- The start

  /** In one warm JVM, and so without the loading of classes. */
  private static void start(String uri, boolean cluster) {
    List<Double> plain = new ArrayList<>();
    List<Double> sheaf = new ArrayList<>();
    for (int round = -2; round < 2 * ROUNDS; round++) {
      double off = startMillis(uri, cluster, false);
      double on = startMillis(uri, cluster, true);
      if (round >= 0) {
        plain.add(off);
        sheaf.add(on);
      } else if (round == -2) {
        System.out.printf(Locale.ROOT, "first start: %.0f ms without, then %.0f with%n", off, on);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "start, medians: %.0f ms without, %.0f ms with%n",
        median(plain),
        median(sheaf));
  }

  private static double startMillis(String uri, boolean cluster, boolean sheaf) {
    long begin = System.nanoTime();
    try (var context = application(uri, cluster, sheaf)) {
      double millis = (System.nanoTime() - begin) / 1e6;
      context.getBean(StringRedisTemplate.class).hasKey("any");
      return millis;
    }
  }

  static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }
}
