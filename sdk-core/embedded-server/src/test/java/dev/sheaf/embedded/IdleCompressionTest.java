// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Values that are not in use are compressed, which no reader of them sees. */
@Timeout(180)
class IdleCompressionTest {
  private static final int DOCUMENTS = 200;
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final String[] NAMES = {"Alice", "Bob", "Carol", "Dave", "Erin", "Frank"};
  private static final String[] CITIES = {"Berlin", "Oslo", "Lisbon", "Prague", "Vienna"};
  private static final String[] STATES = {"delivered", "returned", "under way", "cancelled"};

  /** About 10 KB of JSON, a list of orders, each document another. */
  static String document(int seed) {
    Random random = new Random(seed);
    StringBuilder json = new StringBuilder("[");
    while (json.length() < 10_000) {
      json.append("{\"orderId\":").append(random.nextInt(1_000_000));
      json.append(",\"customerName\":\"").append(any(NAMES, random));
      json.append("\",\"deliveryCity\":\"").append(any(CITIES, random));
      json.append("\",\"deliveryState\":\"").append(any(STATES, random));
      json.append("\",\"currency\":\"EUR\",\"totalInCents\":").append(random.nextInt(10_000));
      json.append(",\"numberOfItems\":").append(random.nextInt(10)).append("},");
    }
    return json.append("{}]").toString();
  }

  private static String any(String[] words, Random random) {
    return words[random.nextInt(words.length)];
  }

  private interface Body {
    void run(EmbeddedServer server, EmbeddedClock clock, RedisCommands<String, String> redis);
  }

  private static void with(Body body) {
    EmbeddedClock clock = EmbeddedClock.manual(Instant.EPOCH);
    try (EmbeddedServer server =
            EmbeddedServer.builder().clock(clock).compressIdleAfter(IDLE).start();
        RedisClient client = RedisClient.create(server.uri())) {
      body.run(server, clock, client.connect().sync());
    }
  }

  /**
   * Lets the clock go on until so many values are compressed. A scan may have passed a value just
   * before it was idle for long enough; the next scan begins a quarter of that time later.
   */
  private static void awaitCompressed(EmbeddedServer server, EmbeddedClock clock, long wanted) {
    Await.until(
        wanted + " values to be compressed",
        () -> {
          boolean done = server.idleCompression().compressed() == wanted;
          if (!done) {
            clock.advance(IDLE.dividedBy(4));
          }
          return done;
        });
  }

  @Test
  void idleDocuments_shrinkAndComeBackWhole() {
    with(
        (server, clock, redis) -> {
          for (int i = 0; i < DOCUMENTS; i++) {
            server.data().set("doc:" + i, document(i));
          }
          redis.set("short", "x".repeat(200));
          clock.advance(Duration.ofSeconds(59));
          assertThat(server.idleCompression().compressed()).isZero();
          clock.advance(Duration.ofSeconds(2));
          awaitCompressed(server, clock, DOCUMENTS);

          IdleCompression done = server.idleCompression();
          assertThat(done.bytesAfter()).isLessThan(done.bytesBefore() * 40 / 100);
          assertThat(redis.memoryUsage("doc:7")).isLessThan(5000L);
          assertThat(redis.strlen("doc:7")).isEqualTo(document(7).length());
          for (int i = 0; i < DOCUMENTS; i++) {
            assertThat(redis.get("doc:" + i)).isEqualTo(document(i));
          }
          assertThat(server.idleCompression().expanded()).isEqualTo(DOCUMENTS);
          assertThat(redis.memoryUsage("doc:7")).isGreaterThan(10_000);
        });
  }

  @Test
  void everyKindOfUse_seesThePlainValue() {
    with(
        (server, clock, redis) -> {
          String plain = document(1);
          for (String key :
              new String[] {"append", "range", "setrange", "copy", "rename", "getset"}) {
            redis.set(key, plain);
          }
          redis.set("over", plain);
          clock.advance(Duration.ofMinutes(2));
          awaitCompressed(server, clock, 7);

          redis.append("append", "!");
          assertThat(redis.get("append")).isEqualTo(plain + "!");
          assertThat(redis.getrange("range", 5, 90)).isEqualTo(plain.substring(5, 91));
          redis.setrange("setrange", 3, "abc");
          assertThat(redis.get("setrange"))
              .isEqualTo(plain.substring(0, 3) + "abc" + plain.substring(6));
          redis.copy("copy", "copied");
          assertThat(redis.get("copied")).isEqualTo(plain);
          redis.rename("rename", "renamed");
          assertThat(redis.get("renamed")).isEqualTo(plain);
          assertThat(redis.setGet("getset", "new")).isEqualTo(plain);
          assertThat(redis.get("getset")).isEqualTo("new");
          redis.set("over", plain);
          assertThat(redis.get("over")).isEqualTo(plain);
          assertThat(redis.objectEncoding("over")).isEqualTo("raw");
        });
  }

  @Test
  void copiesOfTheData_areWhole() {
    with(
        (server, clock, redis) -> {
          redis.set("doc", document(2));
          clock.advance(Duration.ofMinutes(2));
          awaitCompressed(server, clock, 1);
          Snapshot snapshot = server.snapshot();
          redis.flushall();
          server.restore(snapshot);
          assertThat(redis.get("doc")).isEqualTo(document(2));
          byte[] dump = redis.dump("doc");
          redis.restore("again", 0, dump);
          assertThat(redis.get("again")).isEqualTo(document(2));
        });
  }

  @Test
  void whatDoesNotShrink_isLeftAloneAndNotTriedAgain() {
    with(
        (server, clock, redis) -> {
          byte[] noise = new byte[20_000];
          new Random(3).nextBytes(noise);
          server.data().set("noise", noise);
          redis.set("doc", document(3));
          clock.advance(Duration.ofMinutes(2));
          awaitCompressed(server, clock, 1);
          assertThat(redis.memoryUsage("noise")).isGreaterThan(20_000);
        });
  }

  @Test
  void lessThanASecond_isRefused() {
    assertThatThrownBy(() -> EmbeddedServer.builder().compressIdleAfter(Duration.ofMillis(10)))
        .hasMessageContaining("idle must be at least a second: PT0.01S");
  }
}
