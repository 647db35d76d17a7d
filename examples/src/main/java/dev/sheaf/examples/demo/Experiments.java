package dev.sheaf.examples.demo;

import static java.util.Collections.nCopies;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.examples.demo.Experiment.Meaning;
import dev.sheaf.examples.demo.Experiment.Way;
import dev.sheaf.scripts.Reducer;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.StringCodec;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The experiments. Each stores what it needs when it is asked for. */
final class Experiments implements AutoCloseable {

  /** Keys vanish by themselves after this time if the JVM was killed before it deleted them. */
  private static final Duration TIME_TO_LIVE = Duration.ofHours(1);

  private static final int POOLED = 8; // As the usual pools have by default.
  private static final int BIG_VALUES = 6;
  private static final int BIG_READS = 12;

  private final Options options;
  private final Target target;
  private final Clients clients;
  private final Sheaf<String, String> sheaf;
  private final RedisClusterCommands<String, String> lettuce;
  private final RedisClusterAsyncCommands<String, String> async;
  private final String prefix;
  private final Map<String, String> documents;
  private final Deque<Runnable> open = new ArrayDeque<>();

  /** Handles what comes from outside, as in a web server: loops are learned there. */
  private final ExecutorService requests;

  Experiments(Options options, Target target, Clients clients) {
    this.options = options;
    this.target = target;
    this.clients = clients;
    this.sheaf = clients.sheaf;
    this.lettuce = clients.lettuce;
    this.async = clients.async;
    this.prefix = options.redis.isEmpty() ? "" : options.keyPrefix;
    this.documents = Orders.generate(options.documents);
    this.requests = executor(1);
    store(clients.sheaf, "", documents);
  }

  /** All, in the order to run and to show them. */
  List<Supplier<Experiment>> all() {
    List<Supplier<Experiment>> all = new ArrayList<>();
    options.pages.forEach(size -> all.add(() -> page(size)));
    all.add(() -> dependent(options.pages.get(options.pages.size() / 2)));
    all.add(this::threads);
    all.add(this::pings);
    all.add(this::pingStorm);
    all.add(this::sizes);
    all.add(this::bandwidth);
    return all;
  }

  private Experiment experiment(String name, String description, List<?> expected, Way... ways) {
    return new Experiment(name, description, expected, target, List.of(ways));
  }

  /** A page that shows many documents, whose keys are known. */
  Experiment page(int size) {
    List<String> keys = page(size, size);
    String[] array = keys.toArray(String[]::new);
    Sheaf<String, String> learning =
        Sheaf.builder(target.uri()).learnLoops(options.learning).connect();
    open.push(learning::close);
    Supplier<List<?>> learned = () -> read(keys, learning.sync());
    for (int i = 0; i < 5; i++) {
      requested(learned); // The first is remembered, the next three are foreseen.
    }
    return experiment(
        "page-" + size,
        "a page of " + size + " documents, chosen at random, read by their keys",
        values(keys),
        new Way("naive", "Lettuce, get(key) in a loop", () -> read(keys, lettuce)),
        new Way(
            "lettuce-mget",
            "Lettuce, one mget(keys)",
            () -> each(lettuce.mget(array), found -> found.getValueOrElse(null))),
        new Way(
            "lettuce-async",
            "Lettuce, all futures, then their values",
            () -> await(each(keys, async::get))),
        new Way("sheaf", "Sheaf, getAll(keys)", () -> getAll(sheaf, keys)),
        new Way("sheaf-batch", "Sheaf, a batch of get(key)", () -> batch(keys, Batch::get)),
        new Way(
            "sheaf-loop",
            "Sheaf, get(key) in a loop over loop(keys)",
            () -> read(sheaf.loop(keys), sheaf.sync())),
        new Way(
            "sheaf-plain",
            "Sheaf, get(key) in a loop it does not know of; the detector names it",
            () -> read(keys, sheaf.sync())),
        new Way(
            "sheaf-learned",
            "Sheaf, get(key) in the same loop, which a client with learnLoops has learned",
            () -> requested(learned)));
  }

  /** Items that name what has to be read next, as an order names its customer. */
  private Experiment dependent(int size) {
    List<String> keys = page(size, size);
    Map<String, String> items = new LinkedHashMap<>();
    keys.forEach(key -> items.put("item:" + items.size(), key));
    List<String> names = store(sheaf, "", items);
    return experiment(
        "dependent-" + size,
        size + " items, each of which names the document to be read after it",
        values(keys),
        new Way(
            "naive",
            "Lettuce, get(get(item)) in a loop",
            () -> each(names, item -> lettuce.get(lettuce.get(item)))),
        new Way(
            "lettuce-async",
            "Lettuce, chained futures",
            () -> await(each(names, item -> async.get(item).thenCompose(async::get)))),
        new Way(
            "sheaf",
            "Sheaf, mapEach(items, get(get(item)))",
            () -> sheaf.mapEach(names, item -> sheaf.sync().get(sheaf.sync().get(item)))));
  }

  /** The threads of a service, each with one blocking read after the other, on a shared client. */
  private Experiment threads() {
    int threads = options.threads;
    ExecutorService executor = executor(threads);
    List<List<String>> keys = each(range(threads), thread -> page(options.readsPerThread, thread));
    Function<RedisClusterCommands<String, String>, List<?>> work =
        redis ->
            await(
                    each(
                        keys,
                        own -> CompletableFuture.supplyAsync(() -> read(own, redis), executor)))
                .stream()
                .flatMap(List::stream)
                .toList();
    return experiment(
        "threads-" + threads,
        threads + " threads, each reads " + options.readsPerThread + " documents, one by one",
        keys.stream().flatMap(own -> values(own).stream()).toList(),
        new Way("naive", "Lettuce, get(key) by each thread", () -> work.apply(lettuce)),
        new Way("sheaf", "Sheaf, get(key) by each thread", () -> work.apply(sheaf.sync())));
  }

  /** Very many tiny commands, where nothing but the round trips costs time. */
  private Experiment pings() {
    int pings = options.pings;
    return experiment(
        "pings-" + pings,
        Text.count(pings) + " PINGs, the smallest command there is",
        nCopies(pings, "PONG"),
        new Way(
                "naive",
                "Lettuce, ping() in a loop, a tenth of them measured, times 10",
                () -> each(range(pings / 10), i -> lettuce.ping()))
            .onePartIn(10),
        new Way(
            "lettuce-async",
            "Lettuce, all futures, then their replies",
            () -> await(each(range(pings), i -> async.ping()))),
        new Way(
            "sheaf",
            "Sheaf, a batch of ping()",
            () -> batch(range(pings), (batch, i) -> batch.add(redis -> redis.ping()))));
  }

  /** What counts is not the time, but how many answers come too late to be of use. */
  private Experiment pingStorm() {
    Map<String, String> big = new LinkedHashMap<>();
    range(BIG_VALUES).forEach(i -> big.put("ping-storm:" + i, "x".repeat(1 << 20)));
    List<String> keys = store(sheaf, "", big);
    RedisClient client = RedisClient.create(target.uri());
    open.push(client::shutdown);
    var pool = each(range(POOLED), i -> client.connect().async());
    List<CompletionStage<String>> lines =
        new ArrayList<>(nCopies(POOLED, CompletableFuture.completedStage("")));
    AtomicInteger turn = new AtomicInteger();
    sheaf.availability(); // Both have their connections before the first question.
    Storm pooled = new Storm(keys, async, () -> inLine(turn.getAndIncrement(), pool, lines));
    Storm shared = new Storm(keys, sheaf.async(), sheaf.availability()::pingAsync);
    return experiment(
        "ping-storm",
        Text.count(options.pings)
            + " callers ask at once whether the server answers, while "
            + BIG_READS
            + " values of 1 MiB are always on their way to the same client; late means"
            + " after "
            + options.lateAfter.toMillis()
            + " ms; the counts include those values",
        List.of(options.pings),
        pooled.way("naive", "a PING each, from a pool of " + POOLED + " Lettuce connections"),
        shared.way("sheaf", "availability().pingAsync()"));
  }

  /**
   * A PING on a connection that nobody else uses meanwhile, as in a pool; who comes later waits.
   */
  private static CompletionStage<String> inLine(
      int turn,
      List<RedisAsyncCommands<String, String>> pool,
      List<CompletionStage<String>> lines) {
    int place = turn % POOLED;
    lines.set(place, lines.get(place).thenCompose(before -> pool.get(place).ping()));
    return lines.get(place);
  }

  /** Many questions in the same moment, to a client that reads big values all the time. */
  private final class Storm {

    private final List<String> keys;
    private final RedisClusterAsyncCommands<String, String> reader;
    private final Supplier<? extends CompletionStage<?>> ask;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger late = new AtomicInteger();

    Storm(
        List<String> keys,
        RedisClusterAsyncCommands<String, String> reader,
        Supplier<? extends CompletionStage<?>> ask) {
      this.keys = keys;
      this.reader = reader;
      this.ask = ask;
    }

    Way way(String name, String description) {
      return new Way(
          name,
          description,
          1,
          Meaning.LATE_SHARE,
          this::run,
          () -> (double) late.get() / options.pings);
    }

    private List<?> run() {
      over.set(false);
      late.set(0);
      await(each(keys, reader::get));
      var reads = each(range(BIG_READS), i -> readOn(keys.get(i % BIG_VALUES)));
      int answers = await(each(range(options.pings), i -> timed())).size();
      over.set(true);
      await(reads);
      return List.of(answers);
    }

    private CompletionStage<String> readOn(String key) {
      return reader
          .get(key)
          .thenCompose(value -> over.get() ? CompletableFuture.completedStage(value) : readOn(key));
    }

    private CompletionStage<?> timed() {
      long asked = System.nanoTime();
      return ask.get()
          .handle(
              (answer, failure) ->
                  failure != null || System.nanoTime() - asked > options.lateAfter.toNanos()
                      ? late.incrementAndGet()
                      : 0);
    }
  }

  /** The sum of the sizes of very many sorted sets: one number, but each key has to be asked. */
  private Experiment sizes() {
    int parts = 20;
    List<String> keys =
        clients.willStore(each(range(options.sets), i -> prefix + "followers:" + i));
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < keys.size(); i++) {
        String key = keys.get(i);
        for (int member = 0; member <= i / parts % 3; member++) {
          double score = member;
          batch.add(redis -> redis.zadd(key, score, "follower" + score));
        }
        batch.add(redis -> redis.expire(key, TIME_TO_LIVE));
      }
    }
    RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
    Supplier<List<?>> loop =
        () ->
            List.of(
                parts
                    * range(keys.size() / parts).stream()
                        .mapToLong(i -> lettuce.zcard(keys.get(i * parts)))
                        .sum());
    return experiment(
        "zcard-" + keys.size(),
        "the members of " + Text.count(keys.size()) + " sorted sets, counted with ZCARD",
        List.of(range(keys.size()).stream().mapToLong(i -> 1 + i / parts % 3).sum()),
        new Way("naive", "Lettuce, zcard(key) in a loop, of every 20th key, times 20", loop)
            .onePartIn(parts),
        new Way(
            "lettuce-async",
            "Lettuce, all futures, then their replies",
            () -> List.of(await(each(keys, async::zcard)).stream().mapToLong(size -> size).sum())),
        new Way(
            "sheaf",
            "Sheaf, scatter(keys) of a script that sums",
            () -> List.of(sum.scatter(keys, List.of(), Reducer.sum()))));
  }

  /** All documents over a link that is the bottleneck: what counts is how many bytes travel. */
  private Experiment bandwidth() {
    Target link = target;
    if (options.redis.isEmpty()) {
      var proxy = LatencyProxy.builder().oneWayDelay(options.oneWayDelay);
      proxy.bandwidthBitsPerSecond(1_000_000_000);
      String description = "a link of 1,000 Mbit/s to a single embedded server";
      link = Target.embedded(EmbeddedServer.start(), proxy, description); // A cluster has several.
      open.push(link::close);
    }
    var gzip =
        CompressionCodec.valueCompressor(StringCodec.UTF8, CompressionCodec.CompressionType.GZIP);
    return new Experiment(
        "bandwidth",
        "all " + documents.size() + " documents, read by their keys over " + link.description(),
        List.copyOf(documents.values()),
        link,
        List.of(
            stored("naive", "Sheaf, getAll(keys), not compressed", Sheaf.builder(link.uri())),
            stored("gzip", "the same by Lettuce's codec", Sheaf.builder(link.uri()).codec(gzip)),
            stored(
                "sheaf",
                "the same with compression(defaults()), which is Snappy",
                Sheaf.builder(link.uri()).compression(CompressionOptions.defaults()))));
  }

  private Way stored(String name, String description, SheafBuilder<String, String> builder) {
    Sheaf<String, String> sheaf = builder.connect();
    open.push(sheaf::close);
    List<String> keys = store(sheaf, "bandwidth:" + name + ":", documents);
    long memory =
        await(each(keys, sheaf.async()::memoryUsage)).stream().mapToLong(size -> size).sum();
    return new Way(
        name,
        description + "; " + Text.bytes(memory) + " of the server's memory",
        1,
        Meaning.FEWER_BYTES,
        () -> getAll(sheaf, keys),
        null);
  }

  private List<String> store(Sheaf<String, String> sheaf, String more, Map<String, String> values) {
    Map<String, String> named = new LinkedHashMap<>();
    values.forEach((name, value) -> named.put(prefix + more + name, value));
    List<String> keys = clients.willStore(List.copyOf(named.keySet()));
    sheaf.setAll(named, TIME_TO_LIVE).values().forEach(Result::orNull);
    return keys;
  }

  /** Keys of different documents, chosen at random, but the same in every run. */
  private List<String> page(int size, int seed) {
    List<String> keys = new ArrayList<>(each(documents.keySet(), key -> prefix + key));
    Collections.shuffle(keys, new Random(seed));
    return keys.subList(0, size);
  }

  private List<@Nullable String> values(List<String> keys) {
    return each(keys, key -> documents.get(key.substring(prefix.length())));
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

  private <T> T requested(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, requests).join();
  }

  private static <T> List<T> await(List<? extends CompletionStage<T>> stages) {
    return each(stages, stage -> stage.toCompletableFuture().join());
  }

  private static <T, R extends @Nullable Object> List<R> each(
      Collection<? extends T> items, Function<? super T, ? extends R> step) {
    return items.stream().<R>map(step).toList();
  }

  private static List<Integer> range(int size) {
    return IntStream.range(0, size).boxed().toList();
  }

  private ExecutorService executor(int threads) {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    open.push(executor::shutdownNow);
    return executor;
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      open.pop().run();
    }
  }
}
