// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.lettuce.InProcessResources;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of this JVM on the server's event loop, which Lettuce's epoll needs an epoll server for,
 * and on one of their own.
 */
@Timeout(180)
class InProcessTest {
  private static EmbeddedServerBuilder builder(boolean oneLoop) {
    EmbeddedServerBuilder builder = EmbeddedServer.builder();
    return oneLoop ? builder.epoll() : builder;
  }

  private static ClientResources resources(EmbeddedServer server, Set<EventLoop> loops) {
    return InProcessResources.builder(server)
        .nettyCustomizer(
            new NettyCustomizer() {
              @Override
              public void afterChannelInitialized(Channel channel) {
                loops.add(channel.eventLoop());
              }
            })
        .build();
  }

  private interface Body {
    void run(EmbeddedServer server, RedisClient client) throws Exception;
  }

  private static void with(boolean oneLoop, Body body) throws Exception {
    Set<EventLoop> loops = ConcurrentHashMap.newKeySet();
    try (EmbeddedServer server = builder(oneLoop).start()) {
      ClientResources resources = resources(server, loops);
      try (RedisClient client =
          RedisClient.create(resources, RedisURI.create(server.uri() + "?timeout=20s"))) {
        body.run(server, client);
      } finally {
        resources.shutdown(0, 1, TimeUnit.SECONDS).get(60, TimeUnit.SECONDS);
      }
      assertLoop(server, loops, oneLoop);
    }
  }

  private static void assertLoop(EmbeddedServer server, Set<EventLoop> loops, boolean oneLoop) {
    var asserted = assertThat(loops).as("event loops of the client");
    EventLoop own = server.eventLoops().next();
    if (oneLoop) {
      asserted.containsExactly(own);
    } else {
      asserted.isNotEmpty().doesNotContain(own);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void commands_runOnTheEventLoopOfTheServer(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          var redis = client.connect().sync();
          redis.set("a", "1");
          assertThat(redis.mget("a", "b"))
              .containsExactly(KeyValue.just("a", "1"), KeyValue.empty("b"));
          assertThat(redis.clientList()).contains("addr=127.0.0.1:");
          assertThat(server.stats().bytesIn()).isPositive();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void largeValues_arriveWhole(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          var redis = client.connect(ByteArrayCodec.INSTANCE).sync();
          byte[] value = new byte[5_000_000];
          new Random(7).nextBytes(value);
          byte[] key = {0, 1, 2};
          redis.set(key, value);
          for (int i = 0; i < 3; i++) {
            assertThat(redis.get(key)).isEqualTo(value);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyAtOnce_areAnsweredInOrder(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          RedisAsyncCommands<String, String> redis = client.connect().async();
          List<RedisFuture<Long>> replies = new ArrayList<>();
          for (int i = 0; i < 5_000; i++) {
            replies.add(redis.incr("n"));
          }
          for (int i = 0; i < replies.size(); i++) {
            assertThat(replies.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
          }
        });
  }

  /** Each reply sends the next command from its callback: neither the stack nor others suffer. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void chainOfCallbacks_leavesRoomForOthers(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          var chained = client.connect().async();
          var other = client.connect().sync();
          CompletableFuture<Long> chain = next(chained, 5_000).toCompletableFuture();
          assertThat(other.ping()).isEqualTo("PONG");
          assertThat(chain.get(60, TimeUnit.SECONDS)).isEqualTo(5_000);
        });
  }

  private static CompletionStage<Long> next(RedisAsyncCommands<String, String> redis, long until) {
    CompletableFuture<Long> end = new CompletableFuture<>();
    step(redis, until, end);
    return end;
  }

  private static void step(
      RedisAsyncCommands<String, String> redis, long until, CompletableFuture<Long> end) {
    redis
        .incr("chain")
        .whenComplete(
            (n, failure) -> {
              if (failure != null) {
                end.completeExceptionally(failure);
              } else if (n == until) {
                end.complete(n);
              } else {
                step(redis, until, end);
              }
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void blockedAndSubscribedClients_areServed(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          var blocked = client.connect().async().blpop(10, "list");
          var messages = new LinkedBlockingQueue<String>();
          var subscriber = client.connectPubSub();
          subscriber.addListener(
              new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                  messages.add(message);
                }
              });
          subscriber.sync().subscribe("news");
          var redis = client.connect().sync();
          redis.rpush("list", "x");
          redis.publish("news", "hello");
          assertThat(blocked.get(60, TimeUnit.SECONDS)).isEqualTo(KeyValue.just("list", "x"));
          assertThat(messages.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void killedNode_endsTheConnectionAndTakesItBack(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          client.setOptions(
              ClientOptions.builder()
                  .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                  .build());
          StatefulRedisConnection<String, String> connection = client.connect();
          connection.sync().set("a", "1");
          server.nodes().get(0).kill();
          assertThatThrownBy(() -> client.connect().close())
              .isInstanceOf(RedisConnectionException.class);
          server.nodes().get(0).start();
          try (var again = client.connect()) {
            assertThat(again.sync().get("a")).isEqualTo("1");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void faults_meetTheseClientsToo(boolean oneLoop) throws Exception {
    with(
        oneLoop,
        (server, client) -> {
          var connection = client.connect();
          connection.sync().set("a", "12345678");
          connection.setTimeout(Duration.ofMillis(300));
          server.faults().pauseReading(true);
          assertThatThrownBy(() -> connection.sync().get("a")).hasMessageContaining("timed out");
          server.faults().clear();
          connection.setTimeout(Duration.ofSeconds(60));
          assertThat(connection.sync().get("a")).isEqualTo("12345678");
          server.faults().cutAfterBytes(3);
          assertThatThrownBy(() -> connection.async().get("a").get(500, TimeUnit.MILLISECONDS))
              .isInstanceOf(Exception.class);
          server.faults().clear();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cluster_isReachedOnEveryNode(boolean oneLoop) throws Exception {
    Set<EventLoop> loops = ConcurrentHashMap.newKeySet();
    try (EmbeddedServer server = builder(oneLoop).cluster(3, 1).start()) {
      ClientResources resources = resources(server, loops);
      try (RedisClusterClient client =
          RedisClusterClient.create(resources, RedisURI.create(server.uri()))) {
        var redis = client.connect().sync();
        for (int i = 0; i < 100; i++) {
          redis.set("key:" + i, "v" + i);
          assertThat(redis.get("key:" + i)).isEqualTo("v" + i);
        }
      } finally {
        resources.shutdown(0, 1, TimeUnit.SECONDS).get(60, TimeUnit.SECONDS);
      }
      assertLoop(server, loops, oneLoop);
    }
  }

  /** The resources of one server also serve clients of another, over its socket. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherServer_isReachedAsAlways(boolean oneLoop) throws Exception {
    Set<EventLoop> loops = ConcurrentHashMap.newKeySet();
    try (EmbeddedServer server = builder(oneLoop).start();
        EmbeddedServer other = EmbeddedServer.start()) {
      ClientResources resources = resources(server, loops);
      try (RedisClient client = RedisClient.create(resources, other.uri())) {
        assertThat(client.connect().sync().ping()).isEqualTo("PONG");
      } finally {
        resources.shutdown(0, 1, TimeUnit.SECONDS).get(60, TimeUnit.SECONDS);
      }
      assertLoop(server, loops, oneLoop);
    }
  }
}
