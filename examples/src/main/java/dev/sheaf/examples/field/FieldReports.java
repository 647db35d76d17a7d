// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.field;

import static java.util.concurrent.CompletableFuture.runAsync;
import static java.util.concurrent.CompletableFuture.supplyAsync;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.examples.demo.Orders;
import dev.sheaf.inspector.MigrationOptions;
import dev.sheaf.inspector.Migrator;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reproduces what articles report about batching and compression, on the server that {@code
 * -Dredis} names. Prints lines of JSON, from which {@code benchmarks/field-reports} makes a page.
 *
 * <p>A line is a row of a report, or marks a moment for the script that monitors the server. All
 * keys start with {@code field-reports:} and are deleted at the end.
 */
public final class FieldReports implements AutoCloseable {

  private static final String PREFIX = "field-reports:";
  private static final List<Integer> DEPTHS =
      List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000);
  private static final int ITEMS = 10_000;
  private static final int INSTANCES = 4;
  private static final long LATE_NANOS = 200_000_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String uri;
  private final int divisor;
  private final Clients near;
  private final StatefulRedisConnection<String, String> observer;
  private final List<String> stored = new ArrayList<>();
  private final List<String> items;

  /**
   * Stores the values that several reports read.
   *
   * @param divisor by how much to shorten each report; above 1 the figures are meaningless
   */
  FieldReports(String uri, int divisor) {
    this.uri = uri;
    this.divisor = divisor;
    near = new Clients(uri, 0);
    observer = near.client.connect();
    items = store("item:", ITEMS, 100);
  }

  public static void main(String[] arguments) throws Exception {
    int divisor = Integer.parseInt(System.getenv().getOrDefault("FIELD_REPORTS_DIVISOR", "1"));
    try (FieldReports reports = new FieldReports(System.getProperty("redis", ""), divisor)) {
      reports.run();
    }
  }

  void run() throws Exception {
    depth(0);
    depth(1);
    for (int roundTrip : List.of(1, 20, 135, 250)) {
      distance(roundTrip / divisor);
    }
    storm();
    buffers();
    sizes();
    rollOut();
  }

  private void row(String report, Map<String, ?> some, Map<String, ?> others) throws IOException {
    Map<String, Object> line = new LinkedHashMap<>(Map.of("report", report));
    line.putAll(some);
    line.putAll(others);
    System.out.println(JSON.writeValueAsString(line));
  }

  private void mark(String moment) throws Exception {
    System.out.println(JSON.writeValueAsString(Map.of("mark", moment)));
    Thread.sleep(200); // Lets the script measure the state before.
  }

  /** The rate of GETs of 100 bytes by one thread, by the size of its pipeline. */
  private void depth(int roundTrip) throws IOException {
    try (Clients clients = new Clients(uri, roundTrip)) {
      for (boolean warmUp : List.of(true, false)) {
        for (int depth : DEPTHS) {
          List<String> keys = items.subList(0, depth);
          double futures = perSecond(depth, () -> await(each(keys, clients.lettuce.async()::get)));
          double batch = perSecond(depth, () -> batch(clients.sheaf, keys));
          if (!warmUp) {
            Map<String, ?> at = Map.of("roundTripMillis", roundTrip, "depth", depth);
            row("depth", at, Map.of("lettucePerSecond", futures, "sheafPerSecond", batch));
          }
        }
      }
    }
  }

  /** The rate of one thread, by network distance. */
  private void distance(int roundTrip) throws IOException {
    try (Clients clients = new Clients(uri, roundTrip)) {
      List<String> keys = items.subList(0, 100);
      double loop = perSecond(8, () -> keys.subList(0, 8).forEach(clients.lettuce.sync()::get));
      double page = median(() -> clients.sheaf.getAll(keys).values().forEach(Result::orNull));
      double batch = median(() -> batch(clients.sheaf, items));
      row(
          "distance",
          Map.of("roundTripMillis", roundTrip, "loopPerSecond", loop),
          Map.of("pageMillis", page, "batchMillis", batch));
    }
  }

  /** How long 10,000 callers wait that ask at the same time whether the server answers. */
  private void storm() throws IOException {
    List<String> keys = store("big:", 12, 1 << 20);
    try (Clients clients = new Clients(uri, 1)) {
      for (int size : List.of(8, 64)) {
        for (boolean open : List.of(true, false)) {
          String way = "a pool of " + size + (open ? ", open" : ", empty");
          storm(way, keys, clients.lettuce.sync()::get, () -> pool(size, open));
        }
      }
      Pool shared = new Pool(clients.sheaf.availability()::pingAsync, () -> {});
      storm("Sheaf, pingAsync()", keys, clients.sheaf.sync()::get, () -> shared);
    }
  }

  /** A way to ask, and how to close it. */
  private record Pool(Supplier<? extends CompletionStage<?>> ping, Runnable close) {}

  /** One connection per thread, with a round trip of 1 ms. */
  private Pool pool(int size, boolean open) {
    Clients clients = new Clients(uri, 1);
    ExecutorService threads = Executors.newFixedThreadPool(size);
    var own = ThreadLocal.withInitial(() -> clients.client.connect().sync());
    if (open) {
      Phaser all = new Phaser(size);
      Runnable connect =
          () -> {
            own.get();
            all.arriveAndAwaitAdvance(); // So that every thread does it.
          };
      await(each(Collections.nCopies(size, connect), task -> runAsync(task, threads)));
    }
    Runnable close =
        () -> {
          threads.shutdownNow();
          clients.close();
        };
    return new Pool(() -> supplyAsync(() -> own.get().ping(), threads), close);
  }

  /** The latency of small reads while large values are sent to the same client. */
  private void storm(String way, List<String> big, Consumer<String> read, Supplier<Pool> pools)
      throws IOException {
    List<Long> nanos = new ArrayList<>();
    long opened = 0;
    for (int round = 0; round < 3; round++) {
      Pool pool = pools.get();
      AtomicBoolean over = new AtomicBoolean();
      ExecutorService readers = Executors.newFixedThreadPool(big.size());
      var reads = each(big, key -> runAsync(() -> readUntil(over, key, read), readers));
      if (round == 1) { // Discards the warm-up.
        nanos.clear();
        opened = 0;
      }
      opened -= info("stats", "total_connections_received");
      nanos.addAll(await(each(Collections.nCopies(10_000 / divisor, pool), FieldReports::ask)));
      opened += info("stats", "total_connections_received");
      over.set(true);
      await(reads);
      readers.shutdown();
      pool.close.run();
    }
    long late = nanos.stream().filter(each -> each > LATE_NANOS).count();
    row(
        "storm",
        Map.of("way", way, "asked", nanos.size(), "late", late),
        Map.of("slowestMillis", Collections.max(nanos) / 1e6, "connectionsOpened", opened));
  }

  private static void readUntil(AtomicBoolean over, String key, Consumer<String> read) {
    while (!over.get()) {
      read.accept(key);
    }
  }

  /** Measures the latency of an answer. */
  private static CompletionStage<Long> ask(Pool pool) {
    long start = System.nanoTime();
    return pool.ping
        .get()
        .handle((a, no) -> no == null ? System.nanoTime() - start : Long.MAX_VALUE);
  }

  /** Many GETs of 1 KB, while the script monitors the server's memory. */
  private void buffers() throws Exception {
    List<String> kilobytes = store("1kB:", 1_000, 1_000);
    List<String> keys = new ArrayList<>();
    IntStream.rangeClosed(1, 100 / divisor).forEach(i -> keys.addAll(kilobytes));
    mark("Lettuce, all futures");
    await(each(keys, near.lettuce.async()::get));
    mark("Sheaf, one batch");
    batch(near.sheaf, keys);
    mark("");
  }

  /** The sum of the sizes of 100,000 sorted sets. */
  private void sizes() throws IOException {
    List<String> all = new ArrayList<>();
    try (Batch<String, String> batch = near.sheaf.batch()) {
      for (int i = 0; i < 100_000 / divisor; i++) {
        String key = PREFIX + "sizes:" + i;
        all.add(key);
        batch.add(redis -> redis.zadd(key, 1, "m"));
      }
    }
    stored.addAll(all);
    var script = near.sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
    double loop = median(() -> all.subList(0, all.size() / 10).forEach(near.lettuce.sync()::zcard));
    double futures = median(() -> await(each(all, near.lettuce.async()::zcard)));
    double scatter =
        median(() -> script.scatter(all, List.of(), Collectors.summingLong(size -> size)));
    row(
        "sizes",
        Map.of("keys", all.size(), "loopMillis", 10 * loop),
        Map.of("futuresMillis", futures, "scatterMillis", scatter));
  }

  /**
   * Instances of a service that reads orders, and writes every twentieth time. They are replaced
   * one after the other: first by instances that can read compressed values, then by ones that
   * write them. At the end the remaining orders are rewritten. The script monitors the server
   * meanwhile.
   */
  private void rollOut() throws Exception {
    near.sheaf.deleteAll(stored).values().forEach(Result::orNull);
    Map<String, String> orders = Orders.generate(PREFIX, ITEMS / divisor);
    store(orders);
    AtomicInteger replaced = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(INSTANCES);
    var instances =
        each(List.of(0, 1, 2, 3), i -> runAsync(() -> instance(i, replaced, orders), threads));
    for (int step = 0; step <= 2 * INSTANCES; step++) {
      replaced.set(step);
      mark("replaced " + step);
      Thread.sleep((step % INSTANCES == 0 ? 3_000 : 1_000) / divisor);
    }
    mark("migration");
    CompressionOptions compression = CompressionOptions.defaults();
    try (Sheaf<String, String> sheaf = connect(compression)) {
      new Migrator(sheaf, MigrationOptions.compress(compression, PREFIX + "order:")).run();
    }
    mark("after");
    Thread.sleep(3_000 / divisor);
    mark("");
    replaced.set(Integer.MAX_VALUE);
    await(instances);
    threads.shutdown();
  }

  private void instance(int number, AtomicInteger replaced, Map<String, String> orders) {
    serve(null, orders, () -> replaced.get() <= number);
    serve(CompressionOptions.readOnly(), orders, () -> replaced.get() <= number + INSTANCES);
    serve(CompressionOptions.defaults(), orders, () -> replaced.get() <= 2 * INSTANCES);
  }

  private void serve(
      @Nullable CompressionOptions options, Map<String, String> orders, BooleanSupplier goesOn) {
    List<String> keys = List.copyOf(orders.keySet());
    try (Sheaf<String, String> sheaf = connect(options)) {
      while (goesOn.getAsBoolean()) {
        String key = keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
        String order = orders.get(key);
        if (ThreadLocalRandom.current().nextInt(20) == 0) {
          sheaf.sync().set(key, order);
        }
        if (!sheaf.sync().get(key).equals(order)) {
          throw new IllegalStateException("Another value than the one stored for " + key);
        }
      }
    }
  }

  private Sheaf<String, String> connect(@Nullable CompressionOptions options) {
    return options == null ? Sheaf.connect(uri) : Sheaf.builder(uri).compression(options).connect();
  }

  private List<String> store(String name, int count, int bytes) {
    Map<String, String> values = new LinkedHashMap<>();
    IntStream.range(0, count).forEach(i -> values.put(PREFIX + name + i, "x".repeat(bytes)));
    return store(values);
  }

  private List<String> store(Map<String, String> values) {
    stored.addAll(values.keySet());
    near.sheaf.setAll(values).values().forEach(Result::orNull);
    return List.copyOf(values.keySet());
  }

  /** A figure from the server's INFO. */
  private long info(String section, String name) {
    return Long.parseLong(observer.sync().info(section).split(name + ":", 2)[1].split("\\D", 2)[0]);
  }

  private static void batch(Sheaf<String, String> sheaf, List<String> keys) {
    try (Batch<String, String> batch = sheaf.batch()) {
      each(each(keys, batch::get), Deferred::get);
    }
  }

  private static <T, R extends @Nullable Object> List<R> each(
      List<? extends T> items, Function<? super T, ? extends R> step) {
    return items.stream().<R>map(step).toList();
  }

  private static <T extends @Nullable Object> List<T> await(
      List<? extends CompletionStage<T>> stages) {
    return each(stages, stage -> stage.toCompletableFuture().join());
  }

  /** The rate of operations over a quarter of a second. */
  private double perSecond(int operations, Runnable work) {
    long start = System.nanoTime();
    long nanos = 0;
    int runs = 0;
    for (; nanos < 250_000_000L / divisor; runs++) {
      work.run();
      nanos = System.nanoTime() - start;
    }
    return operations * runs * 1e9 / nanos;
  }

  /** The median of five runs, after one that is discarded. */
  private static double median(Runnable work) {
    double[] millis = new double[5];
    work.run();
    for (int run = 0; run < millis.length; run++) {
      long start = System.nanoTime();
      work.run();
      millis[run] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(millis);
    return millis[millis.length / 2];
  }

  @Override
  public void close() {
    near.sheaf.deleteAll(stored).values().forEach(Result::orNull);
    near.close();
  }

  /** Creates clients of the server, or of a proxy that adds a delay to each round trip. */
  private static final class Clients implements AutoCloseable {

    final RedisClient client;
    final StatefulRedisConnection<String, String> lettuce;
    final Sheaf<String, String> sheaf;
    private final @Nullable LatencyProxy proxy;

    Clients(String uri, int roundTripMillis) {
      RedisURI server = RedisURI.create(uri);
      proxy =
          roundTripMillis == 0
              ? null
              : LatencyProxy.builder()
                  .target(server.getHost(), server.getPort())
                  .oneWayDelay(Duration.ofMillis(roundTripMillis).dividedBy(2))
                  .start();
      String through = proxy == null ? uri : "redis://127.0.0.1:" + proxy.port();
      client = RedisClient.create(through);
      lettuce = client.connect();
      sheaf = Sheaf.connect(through);
    }

    @Override
    public void close() {
      sheaf.close();
      client.shutdown();
      if (proxy != null) {
        proxy.close();
      }
    }
  }
}
