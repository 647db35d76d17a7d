package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/** A thread is given the connection again that it closed, unless that has kept something. */
@SuppressWarnings("deprecation") // RedisConnection.get is what templates call.
class SpareTest {

  private static final byte[] KEY = {'k'};

  private EmbeddedServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  private void withFactory(boolean cluster, Consumer<BatchingConnectionFactory> test) {
    server = cluster ? EmbeddedServer.builder().cluster(3, 0).start() : EmbeddedServer.start();
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(SheafAutoConfiguration.class, DataRedisAutoConfiguration.class))
        .withPropertyValues(
            // A pool would give a connection that was reset once more.
            "spring.data.redis.lettuce.pool.enabled=false",
            cluster
                ? "spring.data.redis.cluster.nodes=127.0.0.1:" + server.port()
                : "spring.data.redis.url=" + server.uri())
        .run(context -> test.accept(context.getBean(BatchingConnectionFactory.class)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ordinaryCommands_leaveAConnectionThatServesAgain(boolean cluster) {
    withFactory(
        cluster,
        factory -> {
          RedisConnection first = factory.getConnection();
          first.stringCommands().set(KEY, KEY);
          assertThat(first.get(KEY)).isEqualTo(KEY);
          first.keyCommands().del(KEY);
          assertThat(first.isClosed()).isFalse();
          first.close();
          assertThat(first.isClosed()).isTrue();
          first.close();

          RedisConnection again = factory.getConnection();
          assertThat(again).isSameAs(first);
          assertThat(again.isClosed()).isFalse();
          RedisConnection besideIt = factory.getConnection();
          assertThat(besideIt).isNotSameAs(first);
          besideIt.close();
          again.close();
          assertThat(again.isClosed()).isTrue();
          assertThat(factory.getConnection()).isSameAs(besideIt);
        });
  }

  @Test
  void connectionThatKeptSomething_isClosed() {
    Map<String, Consumer<RedisConnection>> ways =
        Map.of(
            "pipeline", RedisConnection::openPipeline,
            "transaction", RedisConnection::multi,
            "watch", connection -> connection.watch(KEY),
            "blocking pop", connection -> connection.listCommands().bLPop(1, KEY),
            "subscription", connection -> connection.subscribe((message, pattern) -> {}, KEY),
            "native", connection -> ((LettuceConnection) connection).openPipeline());
    withFactory(
        false,
        factory ->
            ways.forEach(
                (name, use) -> {
                  try (RedisConnection feed = factory.getConnection()) {
                    feed.listCommands().rPush(KEY, KEY);
                  }
                  RedisConnection connection = factory.getConnection();
                  use.accept(connection);
                  connection.close();
                  RedisConnection next = factory.getConnection();
                  assertThat(next).as(name).isNotSameAs(connection);
                  assertThat(next.isPipelined() || next.isQueueing()).as(name).isFalse();
                  assertThat(next.isSubscribed()).as(name).isFalse();
                  assertThat(next.ping()).as(name).isEqualTo("PONG");
                  next.close();
                }));
  }

  @Test
  void selectedDatabase_isNotTheNextUsers() {
    withFactory(
        false,
        factory -> {
          factory.setShareNativeConnection(false);
          RedisConnection connection = factory.getConnection();
          connection.select(1);
          connection.stringCommands().set(KEY, KEY);
          connection.close();
          try (RedisConnection next = factory.getConnection()) {
            assertThat(next).isNotSameAs(connection);
            assertThat(next.keyCommands().exists(KEY)).isFalse();
          }
        });
  }

  @Test
  void connectionClosedByAnotherThread_servesNeither() {
    withFactory(
        false,
        factory -> {
          RedisConnection connection = factory.getConnection();
          RedisConnection theirs =
              CompletableFuture.supplyAsync(
                      () -> {
                        connection.close();
                        return factory.getConnection();
                      })
                  .join();
          assertThat(theirs).isNotSameAs(connection);
          assertThat(connection.isClosed()).isTrue();
          assertThat(factory.getConnection()).isNotSameAs(connection);
        });
  }

  @Test
  void connectionOfBefore_isNotUsedAfterAResetOrARestart() {
    withFactory(
        false,
        factory -> {
          RedisConnection first = factory.getConnection();
          first.close();
          factory.resetConnection();
          RedisConnection second = factory.getConnection();
          assertThat(second).isNotSameAs(first);
          assertThat(second.ping()).isEqualTo("PONG");
          second.close();

          factory.stop();
          factory.start();
          RedisConnection third = factory.getConnection();
          assertThat(third).isNotSameAs(second);
          assertThat(third.ping()).isEqualTo("PONG");
          assertThat(third.get(KEY)).isNull();
        });
  }

  @Test
  void factoryThatIsGone_isNotKeptByThreads() {
    WeakReference<?>[] gone = new WeakReference<?>[1];
    withFactory(
        false,
        factory -> {
          factory.getConnection().close();
          gone[0] = new WeakReference<>(factory);
        });
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              System.gc();
              return gone[0].get() == null;
            });
  }
}
