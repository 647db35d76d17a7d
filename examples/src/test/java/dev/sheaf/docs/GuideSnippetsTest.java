// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.embedded.EmbeddedClock;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.Version;
import dev.sheaf.embedded.junit.EmbeddedRedis;
import dev.sheaf.inspector.Cleanup;
import dev.sheaf.inspector.CleanupOptions;
import dev.sheaf.inspector.DictionaryCleaner;
import dev.sheaf.inspector.MigrationOptions;
import dev.sheaf.inspector.MigrationProgress;
import dev.sheaf.inspector.Migrator;
import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ResultType;
import dev.sheaf.scripts.Script;
import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The code of the guides, run. SnippetsTest compares it with the pages. */
@Timeout(180)
@EmbeddedRedis(scope = EmbeddedRedis.Scope.CLASS)
class GuideSnippetsTest {

  private int shown;

  private void show(Object... values) {
    shown += values.length;
  }

  private static void retryLater(String key, Exception error) {
    throw new AssertionError(key, error);
  }

  @Test
  void batching(EmbeddedServer server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, Result<Boolean>> written =
          sheaf.setAll(Map.of("a", "1", "b", "2"), Duration.ofHours(1));
      written.forEach(
          (key, result) -> {
            if (result instanceof Result.Failure<Boolean> failure) {
              retryLater(key, failure.error()); // this key alone; the others stand
            }
          });

      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<Long> visits = batch.add(redis -> redis.incr("visits"));
        Deferred<Map<String, String>> user = batch.add(redis -> redis.hgetall("user:1"));
        show(user.get(), visits.get()); // the first get() sends both
      }
      assertThat(shown).isEqualTo(2);

      sheaf.sync().set("report", "long");
      String report = sheaf.bulk().sync().get("report"); // the others' small reads do not wait

      assertThat(report).isEqualTo("long");
    }
  }

  @Test
  void compression(EmbeddedServer server) {
    String json = "{\"text\":\"all work and no play\"} ".repeat(100);
    String uri = server.uri();
    try (Sheaf<String, String> sheaf = compressing(uri, json)) {
      assertThat(sheaf.sync().get("page:1")).isEqualTo(json);

      MigrationOptions options = MigrationOptions.compress(CompressionOptions.defaults(), "page:");
      MigrationProgress expected = new Migrator(sheaf, options.withDryRun()).run();
      MigrationProgress done = new Migrator(sheaf, options).run();

      assertThat(done).isEqualTo(expected);
    }
    CompressionOptions options = CompressionOptions.defaults();
    byte[] key = "page:1".getBytes(StandardCharsets.UTF_8);
    byte[] value = json.getBytes(StandardCharsets.UTF_8);

    ValueCompression compression = ValueCompression.of(options);
    byte[] stored = compression.compress(key, value);
    byte[] original = compression.decompress(stored);

    assertThat(original).isEqualTo(value).hasSizeGreaterThan(stored.length);
  }

  @Test
  void cleaning(EmbeddedServer server, @TempDir Path folder) throws IOException {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect()) {
      CleanupOptions options = CleanupOptions.defaults();
      Cleanup found = new DictionaryCleaner(sheaf, options.withDryRun()).run();
      for (DictionaryInfo old : found.removed()) {
        Path copy = folder.resolve(old.id()); // backups of values may need it
        sheaf.dictionaries().exportTo(old.id(), copy);
      }
      Cleanup done = new DictionaryCleaner(sheaf, options).run();

      assertThat(done.removed()).isEqualTo(found.removed());
      assertThat(done.obstacle()).isNull();
    }
  }

  private static Sheaf<String, String> compressing(String uri, String json) {
    Sheaf<String, String> sheaf =
        Sheaf.builder(uri).compression(CompressionOptions.defaults()).connect();
    sheaf.sync().set("page:1", json); // stored compressed
    sheaf.sync().get("page:1"); // the JSON

    return sheaf;
  }

  /** Not run: Zstandard is not among the dependencies. */
  static CompressionOptions policies() {
    return CompressionOptions.of(
        CompressionPolicy.of("page:", Compressor.snappy()),
        CompressionPolicy.builder()
            .prefix("archive:")
            .compressor(Compressor.zstd(3))
            .minBytes(1_000)
            .build(),
        CompressionPolicy.off("page:hits:"));
  }

  /** Not run, as above. */
  static CompressionOptions dictionaries() {
    CompressionOptions small =
        CompressionOptions.builder()
            .policies(CompressionPolicy.of("orders:", Compressor.snappy()))
            .dictionaries(DictionaryOptions.defaults())
            .build();

    return small;
  }

  private record Order(String customerKey) {}

  private record Profile(String name) {}

  private static Profile parse(String json) {
    return new Profile(json);
  }

  @Test
  void loops(EmbeddedServer server) {
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "item:" + i).toList();
    List<Order> orders = keys.stream().map(Order::new).toList();
    List<Integer> userIds = List.of(1, 2);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.setAll(Map.of("user:1:profile", "p:1", "p:1", "Ada", "user:2:profile", "p:1"));

      for (String key : keys) {
        show(sheaf.sync().get(key)); // 100 keys, 100 round trips
      }

      for (String key : sheaf.loop(keys)) {
        show(sheaf.sync().get(key));
      }

      for (Order order : sheaf.loop(orders, Order::customerKey)) {
        show(order, sheaf.sync().get(order.customerKey()));
      }

      List<Profile> profiles =
          sheaf.mapEach(
              userIds,
              id -> {
                String profileKey = sheaf.sync().get("user:" + id + ":profile");
                return parse(sheaf.sync().get(profileKey)); // depends on the line before
              });

      assertThat(profiles).containsExactly(new Profile("Ada"), new Profile("Ada"));
    }
  }

  @Test
  void learnedLoops(EmbeddedServer server) {
    String uri = server.uri();
    String user = "1";
    Sheaf<String, String> sheaf = Sheaf.builder(uri).learnLoops(true).connect();

    try (sheaf) {
      sheaf.sync().sadd("cart:1", "1", "2", "3", "4");

      for (String id : sheaf.sync().smembers("cart:" + user)) {
        show(sheaf.sync().get("item:" + id));
      }

      assertThat(shown).isEqualTo(4);
    }
  }

  static final Script<Long> SUM =
      Script.fromClassPath("lua/sum.lua")
          .readOnly()
          .atLeastKeys(1)
          .args(0)
          .returns(ResultType.INTEGER);

  interface Carts {
    @LuaScript(value = "classpath:lua/sum.lua", readOnly = true)
    long sum(@Keys List<String> carts, @Arg long limit);
  }

  @Test
  void scripts(EmbeddedServer server) {
    List<String> allCarts = List.of("{cart}:1", "{cart}:2");
    server.data().set("{cart}:1", "1");
    server.data().set("{cart}:2", "2");
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      RegisteredScript<String, Long> sum = sheaf.scripts().register(SUM);
      long a = sum.call(List.of("{cart}:1", "{cart}:2"));
      CompletableFuture<Long> b = sum.callAsync(List.of("{cart}:1"));
      Deferred<Long> c = batch.call(sum, List.of("{cart}:1"));
      long all = sum.scatter(allCarts, List.of(), Collectors.summingLong(size -> size));

      assertThat(List.of(a, b.join(), c.get(), all)).containsExactly(3L, 1L, 1L, 3L);

      Carts carts = sheaf.scripts().bind(Carts.class);

      assertThat(carts.sum(allCarts, 10)).isEqualTo(3);
    }
  }

  @Test
  void embeddedServer() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      RedisClient client = RedisClient.create(server.uri());
    }

    EmbeddedServer second =
        EmbeddedServer.builder()
            .cluster(3, 1) // masters, replicas of each
            .password("secret")
            .version(Version.VALKEY_8_1) // REDIS_7_0 without
            .clock(EmbeddedClock.manual(Instant.EPOCH)) // time moves by clock().advance(...)
            .start();

    assertThat(second.nodes()).hasSize(6);
    second.close();
  }

  @Test
  void meters(EmbeddedServer server) {
    String uri = server.uri();
    MeterRegistry registry = new SimpleMeterRegistry();
    Sheaf<String, String> sheaf =
        Sheaf.builder(uri).name("orders").meterRegistry(registry).connect();

    assertThat(registry.get("sheaf.batch.commands").tag("client", "orders").meter()).isNotNull();
    sheaf.close();
  }

  @Test
  void allSwitchedOff(EmbeddedServer server) {
    String uri = server.uri();
    Sheaf<String, String> sheaf =
        Sheaf.builder(uri)
            .batching(BatchingOptions.builder().fusion(false).hashFusion(false).maxLanes(0).build())
            .compression(CompressionOptions.readOnly())
            .loopDetection(false)
            .connect();

    sheaf.async().set("a", "1");
    assertThat(sheaf.sync().get("a")).isEqualTo("1");
    assertThat(server.stats().count("mget")).isZero();
    sheaf.close();
  }
}
