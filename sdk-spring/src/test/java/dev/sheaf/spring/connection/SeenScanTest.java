// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.SheafBuilder;
import dev.sheaf.embedded.EmbeddedServer;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.DataType;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.KeyScanOptions;
import org.springframework.data.redis.core.ScanOptions;

/** A SCAN, compared with that of plain Spring Data Redis. */
class SeenScanTest {

  private static final Set<String> KEYS =
      IntStream.range(0, 50).mapToObj(i -> "item:" + i).collect(Collectors.toSet());

  private static final ScanOptions PAGES =
      KeyScanOptions.scanOptions(DataType.STRING).match("item:*").count(10).build();

  private final EmbeddedServer server = EmbeddedServer.start();
  private LettuceConnectionFactory factory;

  @BeforeEach
  void fill() {
    factory = plain();
    factory.start();
    try (RedisConnection connection = factory.getConnection()) {
      KEYS.forEach(key -> connection.stringCommands().set(key.getBytes(UTF_8), new byte[1]));
      connection.listCommands().lPush("item:list".getBytes(UTF_8), new byte[1]);
    }
    factory.destroy();
  }

  @AfterEach
  void stop() {
    factory.destroy();
    server.close();
  }

  private LettuceConnectionFactory plain() {
    LettuceConnectionFactory made = new LettuceConnectionFactory("127.0.0.1", server.port());
    made.afterPropertiesSet();
    return made;
  }

  private RedisConnection connection(String kind) {
    UnaryOperator<SheafBuilder<String, String>> options =
        kind.equals("learning") ? builder -> builder.learnLoops(true) : UnaryOperator.identity();
    factory =
        kind.equals("plain")
            ? plain()
            : BatchingConnectionFactory.like(
                plain(),
                "factory",
                options,
                reason -> {
                  throw new AssertionError(reason);
                });
    factory.afterPropertiesSet();
    factory.start();
    RedisConnection connection = factory.getConnection();
    // The first command makes the connection that the client looks at.
    connection.ping();
    return connection;
  }

  @SuppressWarnings("deprecation") // What templates call.
  private static Cursor<byte[]> scan(RedisConnection connection) {
    return connection.scan(PAGES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "batching", "learning"})
  void scan_findsAll(String kind) {
    Set<String> found = new TreeSet<>();
    try (RedisConnection connection = connection(kind);
        Cursor<byte[]> cursor = scan(connection)) {
      cursor.forEachRemaining(key -> found.add(new String(key, UTF_8)));
    }
    assertThat(found).isEqualTo(KEYS);
  }

  @Test
  void springsOwnScan_isLeftWhereNothingIsLearned() {
    try (RedisConnection connection = connection("batching");
        Cursor<byte[]> cursor = scan(connection)) {
      assertThat(cursor).isNotInstanceOf(SeenScan.class);
    }
    factory.destroy();
    try (RedisConnection connection = connection("learning");
        Cursor<byte[]> cursor = scan(connection)) {
      assertThat(cursor).isInstanceOf(SeenScan.class);
    }
  }

  @Test
  void pageInAPipelineOrTransaction_failsAsSpringsOwn() {
    assertThat(failure("learning", RedisConnection::openPipeline))
        .isEqualTo(failure("plain", RedisConnection::openPipeline));
    assertThat(failure("learning", RedisConnection::multi))
        .isEqualTo(failure("plain", RedisConnection::multi));
  }

  @Test
  void scanInAPipelineOrTransaction_failsAsSpringsOwn() {
    assertThat(failureAtOnce("learning", RedisConnection::openPipeline))
        .isEqualTo(failureAtOnce("plain", RedisConnection::openPipeline));
    assertThat(failureAtOnce("learning", RedisConnection::multi))
        .isEqualTo(failureAtOnce("plain", RedisConnection::multi));
  }

  private String failure(String kind, Consumer<RedisConnection> between) {
    try (RedisConnection connection = connection(kind);
        Cursor<byte[]> cursor = scan(connection)) {
      assertThat(cursor.next()).isNotEmpty();
      between.accept(connection);
      return thrown(() -> cursor.forEachRemaining(key -> {}));
    } finally {
      factory.destroy();
    }
  }

  private String failureAtOnce(String kind, Consumer<RedisConnection> before) {
    try (RedisConnection connection = connection(kind)) {
      before.accept(connection);
      return thrown(() -> scan(connection));
    } finally {
      factory.destroy();
    }
  }

  private static String thrown(Runnable call) {
    return String.valueOf(catchThrowable(call::run));
  }
}
