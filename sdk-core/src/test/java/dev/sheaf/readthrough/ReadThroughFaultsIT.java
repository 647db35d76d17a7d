// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads through a server that is ill are served all the same, and in time. */
@Timeout(180)
class ReadThroughFaultsIT {

  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofSeconds(10);

  /** A guard that notices nothing in time, so that the read-through is on its own. */
  private static final AvailabilityOptions BLIND =
      AvailabilityOptions.builder().timeout(Duration.ofSeconds(30)).build();

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private RealRedis redis;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @BeforeEach
  void start() {
    redis = RealRedis.start();
  }

  @AfterEach
  void stop() {
    redis.stop();
  }

  private Sheaf<String, String> connect(AvailabilityOptions options) {
    Sheaf<String, String> sheaf =
        Sheaf.builder(redis.uri()).availability(options).meterRegistry(registry).connect();
    sheaf.availability().withTimeout(SOON).ping();
    return sheaf;
  }

  private double count(String what, String outcome) {
    return registry.get("sheaf.readthrough." + what).tag("outcome", outcome).counter().count();
  }

  private static Map<String, String> load(Iterable<String> keys) {
    Map<String, String> loaded = new HashMap<>();
    keys.forEach(key -> loaded.put(key, "loaded"));
    return loaded;
  }

  @Test
  void haltedServer_isGivenUp_andTheLoaderAnswers() {
    try (Sheaf<String, String> sheaf = connect(BLIND)) {
      sheaf.sync().set("k", "cached");
      assertThat(sheaf.readThrough("k", TTL, key -> "loaded")).isEqualTo("cached");
      redis.pause();
      assertThat(sheaf.readThrough("k", TTL, key -> "loaded")).isEqualTo("loaded");
      assertThat(sheaf.readThroughAll(List.of("k", "j"), TTL, ReadThroughFaultsIT::load))
          .hasSize(2);
      redis.resume();
      assertThat(count("reads", "failed")).isEqualTo(3);
    }
  }

  @Test
  void serverThatIsDown_isNotAsked() {
    try (Sheaf<String, String> sheaf = connect(AvailabilityOptions.defaults())) {
      assertThat(sheaf.readThrough("first", TTL, key -> "loaded")).isEqualTo("loaded");
      redis.kill();
      Await.until("a no", SOON, () -> !sheaf.availability().isAvailable());
      double before = count("reads", "skipped");
      for (int i = 0; i < 100; i++) {
        assertThat(sheaf.readThrough("k" + i, TTL, key -> "loaded")).isEqualTo("loaded");
        assertThat(sheaf.readThroughAll(List.of("j" + i), TTL, ReadThroughFaultsIT::load))
            .hasSize(1);
      }
      assertThat(count("reads", "skipped") - before).isEqualTo(200);
      assertThat(count("writes", "skipped")).isGreaterThanOrEqualTo(200);
    }
  }

  @Test
  void writesThatWait_areBounded_andTheRestIsDropped() {
    try (Sheaf<String, String> sheaf = connect(BLIND)) {
      ReadThrough<String, String> reads =
          sheaf.readThrough(
              ReadThroughOptions.<String>builder().readTimeout(Duration.ofMillis(1)).build());
      redis.pause();
      List<String> keys =
          IntStream.range(0, ReadThrough.MAX_PENDING_WRITES + 40).mapToObj(i -> "k" + i).toList();
      assertThat(reads.getAll(keys, TTL, ReadThroughFaultsIT::load)).hasSameSizeAs(keys);
      assertThat(count("writes", "dropped")).isEqualTo(40);
      redis.resume();
      Await.until(
          "the others to be written",
          SOON,
          () -> count("writes", "written") == ReadThrough.MAX_PENDING_WRITES);
    }
  }

  @Test
  void valueOfTheWrongType_orThatCannotBeDecoded_isLoaded() {
    RedisCodec<String, String> picky = new Picky();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(redis.uri()).codec(picky).meterRegistry(registry).connect()) {
      redis.command("RPUSH", "list", "item");
      redis.command("SET", "broken", "broken");
      assertThat(sheaf.readThrough("list", TTL, key -> "loaded")).isEqualTo("loaded");
      assertThat(sheaf.readThrough("broken", TTL, key -> "loaded")).isEqualTo("loaded");
      assertThat(sheaf.readThrough("other", TTL, key -> "unwritable")).isEqualTo("unwritable");
      assertThat(count("reads", "failed")).isEqualTo(2);
      Await.until("the failed write", SOON, () -> count("writes", "failed") == 1);
    }
  }

  /** Text, but for some. */
  private static final class Picky implements RedisCodec<String, String> {

    @Override
    public String decodeKey(ByteBuffer bytes) {
      return StringCodec.UTF8.decodeKey(bytes);
    }

    @Override
    public String decodeValue(ByteBuffer bytes) {
      String value = StringCodec.UTF8.decodeValue(bytes);
      if (value.equals("broken")) {
        throw new IllegalStateException("broken, as this test wants it");
      }
      return value;
    }

    @Override
    public ByteBuffer encodeKey(String key) {
      return StringCodec.UTF8.encodeKey(key);
    }

    @Override
    public ByteBuffer encodeValue(String value) {
      if (value.equals("unwritable")) {
        throw new IllegalStateException("unwritable, as this test wants it");
      }
      return StringCodec.UTF8.encodeValue(value);
    }
  }
}
