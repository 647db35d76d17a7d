// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.junit.EmbeddedRedis;
import dev.sheaf.embedded.lettuce.InProcessResources;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.resource.ClientResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of docs/guide/testing.md, run; and that the page shows them as they are here. */
@Timeout(180)
class TestingGuideTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "guide", "testing.md");
  private static final Path SOURCE =
      Path.of("src", "test", "java", "dev", "sheaf", "embedded", "TestingGuideTest.java");

  @Nested
  @EmbeddedRedis(manualClock = true)
  class SessionsTest {
    @Test
    void session_isGoneAfterItsTime(EmbeddedServer server, EmbeddedClock clock) {
      try (RedisClient client = RedisClient.create(server.uri())) {
        var redis = client.connect().sync();
        redis.set("session:1", "alice", SetArgs.Builder.ex(60));
        clock.advance(Duration.ofSeconds(61));
        assertThat(redis.get("session:1")).isNull();
      }
    }
  }

  @Test
  void clusterOfItsOwn(@EmbeddedRedis(masters = 3, replicas = 1) EmbeddedServer cluster) {
    assertThat(cluster.nodes()).hasSize(6);
    cluster.data().set("user:1", "alice");
    assertThat(cluster.data().get("user:1")).hasValue("alice");
  }

  @Test
  void faults(@EmbeddedRedis EmbeddedServer server) {
    RedisURI uri = RedisURI.create(server.uri());
    uri.setTimeout(Duration.ofMillis(200));
    try (RedisClient client = RedisClient.create(uri)) {
      var redis = client.connect().sync();

      server.faults().errorOn("get", "LOADING Redis is loading the dataset in memory");
      Assertions.assertThatThrownBy(() -> redis.get("k")).hasMessageContaining("LOADING");

      server.faults().clear();
      server.faults().latency("get", Duration.ofSeconds(2));
      Assertions.assertThatThrownBy(() -> redis.get("k"))
          .isInstanceOf(RedisCommandTimeoutException.class);
    }
  }

  @Test
  void versions() {
    try (EmbeddedServer server = EmbeddedServer.builder().version(Version.VALKEY_8_1).start()) {
      assertThat(server.uri()).startsWith("redis://");
    }
  }

  @Test
  void answersOfTheTest(@EmbeddedRedis EmbeddedServer server) {
    try (RedisClient client = RedisClient.create(server.uri())) {
      var redis = client.connect().sync();

      server.faults().onCommand("get", call -> "answer to " + call.arguments().get(0));
      assertThat(redis.get("k")).isEqualTo("answer to k");
    }
  }

  @Test
  void whatWasSent(@EmbeddedRedis EmbeddedServer server) {
    try (RedisClient client = RedisClient.create(server.uri())) {
      var redis = client.connect().sync();
      server.log().start();
      redis.mget("a", "b");
      server.log().assertRan("MGET", "a", "b");
      server.log().assertNeverRan("GET");
      assertThat(server.log().count("mget")).isEqualTo(1);
    }
  }

  @Test
  void backToTheStart(@EmbeddedRedis EmbeddedServer server) {
    server.data().set("stock:1", "10");
    Snapshot before = server.snapshot();
    server.data().set("stock:1", "0");
    server.restore(before);
    assertThat(server.data().get("stock:1")).hasValue("10");
  }

  @Test
  void withoutTheKernel(@EmbeddedRedis EmbeddedServer server) {
    ClientResources resources = InProcessResources.builder(server).build();
    try (RedisClient client = RedisClient.create(resources, server.uri())) {
      client.connect().sync().set("k", "v");
    }
    resources.shutdown();
    assertThat(server.data().get("k")).hasValue("v");
  }

  @Test
  void idleValues() {
    try (EmbeddedServer server =
        EmbeddedServer.builder().compressIdleAfter(Duration.ofMinutes(1)).start()) {
      assertThat(server.idleCompression().compressed()).isZero();
    }
  }

  @Test
  void scriptsTakeTime() {
    EmbeddedClock clock = EmbeddedClock.manual(java.time.Instant.EPOCH);
    clock.scriptCommandsTake(Duration.ofMillis(2));
    try (EmbeddedServer server = EmbeddedServer.builder().clock(clock).start();
        RedisClient client = RedisClient.create(server.uri())) {
      Long micros =
          client
              .connect()
              .sync()
              .eval(
                  """
                  local before = redis.call('TIME')
                  for i = 1, 10 do redis.call('GET', KEYS[1]) end
                  local after = redis.call('TIME')
                  return (after[1] - before[1]) * 1000000 + after[2] - before[2]
                  """,
                  io.lettuce.core.ScriptOutputType.INTEGER,
                  "k");
      assertThat(micros).isEqualTo(22_000);
    }
  }

  @Test
  void page_showsTheExamplesAsTheyAre() throws Exception {
    String source = squeezed(Files.readString(SOURCE));
    List<String> blocks = new ArrayList<>();
    Matcher block =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
    while (block.find()) {
      blocks.add(block.group(1));
    }
    assertThat(blocks).hasSizeGreaterThan(4);
    assertThat(blocks).allSatisfy(code -> assertThat(source).contains(squeezed(code)));
  }

  private static String squeezed(String code) {
    return code.replaceAll("\\s+", " ").strip();
  }
}
