// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import static java.util.concurrent.CompletableFuture.supplyAsync;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.examples.ExampleServer;
import dev.sheaf.examples.demo.Experiment.Unit;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.StringCodec;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The experiments. Each stores its data when it is requested; {@link #close} deletes it. */
final class Experiments implements AutoCloseable {

  /** Keys expire after this time if the JVM ends before it has deleted them. */
  private static final Duration TIME_TO_LIVE = Duration.ofHours(1);

  final Sheaf<String, String> sheaf;
  private final RedisClusterCommands<String, String> lettuce;
  private final RedisClusterAsyncCommands<String, String> async;
  private final Options options;
  private final ExampleServer server;
  private final String prefix;
  private final Map<String, String> documents;
  private final List<String> stored = new ArrayList<>();
  private final Deque<Runnable> open = new ArrayDeque<>();

  Experiments(Options options, ExampleServer server) {
    this.options = options;
    this.server = server;
    prefix = options.redis.isEmpty() ? "" : options.keyPrefix;
    documents = Orders.generate(prefix, options.documents);
    sheaf = closing(Sheaf.connect(server.uri()), Sheaf::close);
    if (sheaf.isCluster()) {
      var nodes = RedisClusterURIUtil.toRedisURIs(URI.create(server.uri()));
      var cluster = closing(RedisClusterClient.create(nodes), c -> c.shutdown()).connect();
      lettuce = cluster.sync();
      async = cluster.async();
    } else {
      var single = closing(RedisClient.create(server.uri()), c -> c.shutdown()).connect();
      lettuce = single.sync();
      async = single.async();
    }
    store(sheaf, documents.keySet(), key -> key, documents::get);
  }

  /** Returns all experiments, in the order to run and show them. */
  List<Supplier<Experiment>> all() {
    List<Supplier<Experiment>> all = new ArrayList<>();
    options.pages.forEach(size -> all.add(() -> page(size)));
    all.add(() -> dependent(options.pages.get(options.pages.size() / 2)));
    all.addAll(List.of(this::threads, this::pings, this::pingStorm, this::sizes, this::bandwidth));
    return all;
  }

  private Experiment experiment(String name, String description, Unit unit, List<?> expected) {
    return new Experiment(name, description, unit, expected, server.counts(sheaf));
  }

  /** A page that shows many documents with known keys. */
  Experiment page(int size) {
    List<String> keys = keys(size, size);
    String[] array = keys.toArray(String[]::new);
    var learning = Sheaf.builder(server.uri()).learnLoops(options.maxAge, 25).connect();
    closing(learning, Sheaf::close);
    // Loops are learned on threads that handle requests, like those of a web server.
    ExecutorService requests = executor(1);
    Supplier<List<?>> learned = () -> read(keys, learning.sync());
    // One loop is recorded, three are predicted.
    range(5).forEach(i -> supplyAsync(learned, requests).join());
    String description = "a page of " + size + " documents, chosen at random, read by their keys";
    return experiment("page-" + size, description, Unit.TIMES, each(keys, documents::get))
        .way("naive", "Lettuce, get(key) in a loop", () -> read(keys, lettuce))
        .way("lettuce-mget", "one mget(keys)", () -> each(lettuce.mget(array), v -> v.getValue()))
        .way("lettuce-async", "all futures, then values", () -> await(each(keys, async::get)))
        .way("sheaf", "getAll(keys)", () -> getAll(sheaf, keys))
        .way("sheaf-batch", "a batch of get(key)", () -> batch(keys, Batch::get))
        .way("sheaf-loop", "get(key) over loop(keys)", () -> read(sheaf.loop(keys), sheaf.sync()))
        .way("sheaf-plain", "get(key) in a loop, unchanged", () -> read(keys, sheaf.sync()))
        .way("sheaf-learned", "that loop, learned", () -> supplyAsync(learned, requests).join());
  }

  /** Items that name the next key to read, as an order names its customer. */
  private Experiment dependent(int size) {
    List<String> keys = keys(size, size);
    List<String> names = store(sheaf, keys, key -> key + ":item", key -> key);
    var redis = sheaf.sync();
    Function<String, CompletionStage<String>> chain = i -> async.get(i).thenCompose(async::get);
    String description = size + " items, each of which names the document to be read after it";
    return experiment("dependent-" + size, description, Unit.TIMES, each(keys, documents::get))
        .way("naive", "Lettuce, in a loop", () -> each(names, i -> lettuce.get(lettuce.get(i))))
        .way("lettuce-async", "chained futures", () -> await(each(names, chain)))
        .way("sheaf", "mapEach", () -> sheaf.mapEach(names, i -> redis.get(redis.get(i))));
  }

  /** The threads of a service, each making one blocking read after another, on a shared client. */
  private Experiment threads() {
    int threads = options.threads;
    int reads = options.readsPerThread;
    ExecutorService executor = executor(threads);
    List<List<String>> pages = each(range(threads), thread -> keys(reads, thread));
    Function<RedisClusterCommands<String, String>, List<?>> all =
        redis -> await(each(pages, keys -> supplyAsync(() -> read(keys, redis), executor)));
    String description = threads + " threads, each reads " + reads + " documents, one by one";
    List<?> expected = each(pages, keys -> each(keys, documents::get));
    return experiment("threads-" + threads, description, Unit.TIMES, expected)
        .way("naive", "Lettuce, get(key) by each thread", () -> all.apply(lettuce))
        .way("sheaf", "get(key) by each thread", () -> all.apply(sheaf.sync()));
  }

  /** Very many tiny commands, where only the round trips cost time. */
  private Experiment pings() {
    List<Integer> all = range(options.pings);
    List<Integer> some = range(options.pings / 10);
    String description = Report.count(all.size()) + " PINGs, the smallest command there is";
    List<String> expected = Collections.nCopies(all.size(), "PONG");
    return experiment("pings-" + all.size(), description, Unit.TIMES, expected)
        .way("naive", "Lettuce, a tenth, times 10", 10, () -> each(some, i -> lettuce.ping()))
        .way("lettuce-async", "all futures", () -> await(each(all, i -> async.ping())))
        .way("sheaf", "a batch", () -> batch(all, (batch, i) -> batch.add(r -> r.ping())));
  }

  /** What counts is not the time, but how many answers arrive too late. */
  private Experiment pingStorm() {
    String big = "x".repeat(1 << 20);
    List<String> keys = store(sheaf, range(12), i -> prefix + "big:" + i, i -> big);
    ExecutorService readers = executor(keys.size());
    RedisClient client = closing(RedisClient.create(server.uri()), c -> c.shutdown());
    ThreadLocal<RedisCommands<String, String>> own =
        ThreadLocal.withInitial(() -> client.connect().sync());
    ExecutorService pool = executor(8); // As many as common connection pools have.
    Supplier<CompletionStage<?>> pooled = () -> supplyAsync(() -> own.get().ping(), pool);
    Supplier<CompletionStage<?>> shared = sheaf.availability()::pingAsync;
    String description =
        "%s callers ask at once whether the server answers, while %s values of 1 MiB are always on"
            + " their way to the same client; late means after %s ms; the counts have those values";
    Object[] sizes = {Report.count(options.pings), keys.size(), options.lateAfter.toMillis()};
    BiFunction<Supplier<CompletionStage<?>>, RedisClusterCommands<String, String>, List<?>> late =
        (question, redis) -> {
          AtomicBoolean over = new AtomicBoolean();
          var reads = each(keys, key -> supplyAsync(() -> readUntil(over, key, redis), readers));
          List<Boolean> answers = await(each(range(options.pings), i -> isLate(question.get())));
          over.set(true);
          await(reads);
          return answers;
        };
    List<Boolean> inTime = Collections.nCopies(options.pings, false);
    return experiment("ping-storm", description.formatted(sizes), Unit.LATE, inTime)
        .way("naive", "a pool of 8 connections", () -> late.apply(pooled, lettuce))
        .way("sheaf", "pingAsync()", () -> late.apply(shared, sheaf.sync()));
  }

  private static boolean readUntil(
      AtomicBoolean over, String key, RedisClusterCommands<String, String> redis) {
    return Stream.generate(() -> redis.get(key)).anyMatch(value -> over.get());
  }

  /** Returns whether an answer is late or missing. */
  private CompletionStage<Boolean> isLate(CompletionStage<?> answer) {
    long limit = System.nanoTime() + options.lateAfter.toNanos();
    return answer.handle((a, failed) -> failed != null || System.nanoTime() > limit);
  }

  /** The sum of the sizes of very many sorted sets: one number, but every key must be read. */
  private Experiment sizes() {
    int parts = 20;
    List<Integer> all = range(options.sets);
    List<String> keys = each(all, i -> prefix + "followers:" + i);
    stored.addAll(keys);
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i : all) {
        String key = keys.get(i);
        range(1 + i / parts % 3).forEach(m -> batch.add(redis -> redis.zadd(key, m, "by " + m)));
        batch.add(redis -> redis.expire(key, TIME_TO_LIVE));
      }
    }
    List<String> some = each(range(keys.size() / parts), i -> keys.get(i * parts));
    var script = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
    String description = "members of " + Report.count(keys.size()) + " sorted sets, by ZCARD";
    List<Long> expected = List.of(sum(each(all, i -> 1L + i / parts % 3)));
    return experiment("zcard-" + keys.size(), description, Unit.TIMES, expected)
        .way(
            "naive",
            "Lettuce, zcard(key) in a loop, of every 20th key, times 20",
            parts,
            () -> List.of(parts * sum(each(some, lettuce::zcard))))
        .way("lettuce-async", "all futures", () -> List.of(sum(await(each(keys, async::zcard)))))
        .way(
            "sheaf",
            "scatter(keys) of a script that sums",
            () -> List.of(script.scatter(keys, List.of(), Collectors.summingLong(size -> size))));
  }

  /** All documents over a link that is the bottleneck: the number of bytes counts. */
  private Experiment bandwidth() {
    ExampleServer link = server;
    if (options.redis.isEmpty()) { // A cluster has several links, so this uses a server of its own.
      var proxy = LatencyProxy.builder().oneWayDelay(options.oneWayDelay);
      proxy.bandwidthBitsPerSecond(1_000_000_000);
      link = closing(ExampleServer.behindProxies(EmbeddedServer.start(), proxy), s -> s.close());
    }
    String uri = link.uri();
    var gzip =
        CompressionCodec.valueCompressor(StringCodec.UTF8, CompressionCodec.CompressionType.GZIP);
    var snappy = CompressionOptions.defaults();
    String description = "all %s documents by keys, over 1,000 Mbit/s if the server is embedded";
    Experiment bandwidth =
        new Experiment(
            "bandwidth",
            description.formatted(documents.size()),
            Unit.BYTES,
            List.copyOf(documents.values()),
            link.counts(sheaf));
    stored(bandwidth, "naive", "getAll(keys), not compressed", Sheaf.connect(uri));
    stored(bandwidth, "gzip", "Lettuce's codec", Sheaf.builder(uri).codec(gzip).connect());
    stored(bandwidth, "sheaf", "Snappy", Sheaf.builder(uri).compression(snappy).connect());
    return bandwidth;
  }

  private void stored(Experiment of, String name, String how, Sheaf<String, String> sheaf) {
    closing(sheaf, Sheaf::close);
    List<String> keys = store(sheaf, documents.keySet(), key -> key + ":" + name, documents::get);
    String memory = Report.bytes(sum(await(each(keys, sheaf.async()::memoryUsage))));
    of.way(name, how + "; " + memory + " of the server's memory", () -> getAll(sheaf, keys));
  }

  /** Stores items and returns their keys in order; they are deleted at the end. */
  private <T> List<String> store(
      Sheaf<String, String> sheaf,
      Collection<T> items,
      Function<T, String> key,
      Function<T, String> value) {
    Map<String, String> values = new LinkedHashMap<>();
    items.forEach(item -> values.put(key.apply(item), value.apply(item)));
    stored.addAll(values.keySet());
    sheaf.setAll(values, TIME_TO_LIVE).values().forEach(Result::orNull);
    return List.copyOf(values.keySet());
  }

  /** Keys of different documents, chosen at random, but the same in every run. */
  private List<String> keys(int count, int seed) {
    List<String> keys = new ArrayList<>(documents.keySet());
    Collections.shuffle(keys, new Random(seed));
    return keys.subList(0, count);
  }

  private static List<@Nullable String> read(
      Iterable<String> keys, RedisClusterCommands<String, String> redis) {
    List<@Nullable String> values = new ArrayList<>();
    for (String key : keys) {
      values.add(redis.get(key));
    }
    return values;
  }

  private static List<@Nullable String> getAll(Sheaf<String, String> sheaf, List<String> keys) {
    return each(sheaf.getAll(keys).values(), Result::orNull);
  }

  private <T> List<?> batch(
      Collection<T> items, BiFunction<Batch<String, String>, T, Deferred<?>> add) {
    try (Batch<String, String> batch = sheaf.batch()) {
      return each(each(items, item -> add.apply(batch, item)), Deferred::get);
    }
  }

  private static <T> List<T> await(List<? extends CompletionStage<T>> stages) {
    return each(stages, stage -> stage.toCompletableFuture().join());
  }

  private static <T, R extends @Nullable Object> List<R> each(
      Collection<? extends T> items, Function<? super T, ? extends R> step) {
    return items.stream().<R>map(step).toList();
  }

  private static long sum(List<Long> numbers) {
    return numbers.stream().mapToLong(number -> number).sum();
  }

  private static List<Integer> range(int size) {
    return IntStream.range(0, size).boxed().toList();
  }

  private ExecutorService executor(int threads) {
    return closing(Executors.newFixedThreadPool(threads), ExecutorService::shutdownNow);
  }

  private <T> T closing(T opened, Consumer<T> close) {
    open.push(() -> close.accept(opened));
    return opened;
  }

  @Override
  public void close() {
    try {
      sheaf.deleteAll(stored).values().forEach(Result::orNull);
    } finally {
      open.forEach(Runnable::run);
    }
  }
}
