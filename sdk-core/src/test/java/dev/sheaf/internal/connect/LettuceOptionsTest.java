// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingClient;
import dev.sheaf.BatchingOptions;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.QueueFullException;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.support.AsyncConnectionPoolSupport;
import io.lettuce.core.support.BoundedAsyncPool;
import io.lettuce.core.support.BoundedPoolConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What users of Lettuce set on its client holds for a client that batches. */
class LettuceOptionsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EmbeddedServer server = EmbeddedServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private interface Use {
    void with(RedisClient client) throws Exception;
  }

  private void withClient(RedisURI uri, Use use) throws Exception {
    ClientResources resources = ClientResources.create();
    try (BatchingClient batching =
        Sheaf.builder(List.of(uri)).clientResources(resources).serverClient()) {
      RedisClient client = (RedisClient) batching.lettuce();
      try {
        use.with(client);
      } finally {
        client.shutdown(0, 2, TimeUnit.SECONDS);
      }
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void connectionsOfLettucesPool_work() throws Exception {
    RedisURI uri = RedisURI.create(server.uri());
    withClient(
        uri,
        client -> {
          BoundedAsyncPool<StatefulRedisConnection<String, String>> pool =
              AsyncConnectionPoolSupport.createBoundedObjectPool(
                  () -> client.connectAsync(StringCodec.UTF8, uri), BoundedPoolConfig.create());
          try (StatefulRedisConnection<String, String> pooled =
              pool.acquire().get(60, TimeUnit.SECONDS)) {
            assertThat(pooled.sync().set("key", "value")).isEqualTo("OK");
            assertThat(pooled.async().get("key").get(60, TimeUnit.SECONDS)).isEqualTo("value");
          }
          pool.close();
        });
  }

  @Test
  void timeoutOfAnAddressGivenToConnect_isThatOfItsConnection() throws Exception {
    RedisURI address = RedisURI.create(server.uri());
    address.setTimeout(Duration.ofSeconds(33));
    withClient(
        RedisURI.create(server.uri()),
        client -> {
          try (StatefulRedisConnection<String, String> connection = client.connect(address)) {
            assertThat(connection.getTimeout()).isEqualTo(Duration.ofSeconds(33));
          }
        });
  }

  private static void outage(
      EmbeddedServer server,
      ClientOptions options,
      BatchingOptions batching,
      BiConsumer<Sheaf<String, String>, LatencyProxy> use) {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .batching(batching)
                .clientOptions(options)
                .connect()) {
      sheaf.sync().ping();
      use.accept(sheaf, proxy);
    }
  }

  @Test
  void commandsExcludedFromReplay_failAfterAReconnect() {
    outage(
        server,
        ClientOptions.builder()
            .replayFilter(command -> command.getType() == CommandType.INCR)
            .build(),
        BatchingOptions.defaults(),
        (sheaf, proxy) -> {
          proxy.refuse(true);
          proxy.dropConnections();
          Await.until("the loss", PATIENCE, () -> !sheaf.standalone().isOpen() || isLost(sheaf));
          RedisFuture<Long> excluded = sheaf.async().incr("n");
          RedisFuture<String> other = sheaf.async().set("key", "value");
          proxy.refuse(false);
          assertThatThrownBy(() -> excluded.get(60, TimeUnit.SECONDS))
              .hasCauseInstanceOf(ConnectionLostException.class)
              .hasMessageContaining("replayFilter");
          assertThat(other.toCompletableFuture().join()).isEqualTo("OK");
          assertThat(sheaf.sync().get("n")).isNull();
        });
  }

  @Test
  void connectionThatLettuceGaveUp_failsItsCommandsAtOnce_withTheReason() {
    outage(
        server,
        ClientOptions.builder().suspendReconnectOnProtocolFailure(true).build(),
        BatchingOptions.defaults(),
        (sheaf, proxy) -> {
          server.faults().errorOn("hello", "DENIED not today");
          // The time-outs of these are minutes away: nothing but the reason can end them.
          sheaf.standalone().setTimeout(Duration.ofMinutes(10));
          proxy.refuse(true);
          proxy.dropConnections();
          Await.until("the loss", PATIENCE, () -> isLost(sheaf));
          RedisFuture<Long> waiting = sheaf.async().incr("n");
          proxy.refuse(false);
          assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
              .hasStackTraceContaining("not today");
          assertThatThrownBy(() -> sheaf.async().incr("n").get(60, TimeUnit.SECONDS))
              .hasStackTraceContaining("not today");
        });
  }

  private static CompletableFuture<Long> last(List<RedisFuture<Long>> commands) {
    return commands.get(commands.size() - 1).toCompletableFuture();
  }

  private static boolean isLost(Sheaf<String, String> sheaf) {
    RedisFuture<String> ping = sheaf.async().ping();
    try {
      ping.get(50, TimeUnit.MILLISECONDS);
      return false;
    } catch (Exception waits) {
      return true;
    }
  }

  @Test
  void commandsHeldForAFlush_timeOut() {
    outage(
        server,
        ClientOptions.builder()
            .timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(100)))
            .build(),
        BatchingOptions.defaults(),
        (sheaf, proxy) -> {
          sheaf.standalone().setAutoFlushCommands(false);
          RedisFuture<String> held = sheaf.async().get("key");
          assertThatThrownBy(() -> held.get(60, TimeUnit.SECONDS))
              .hasCauseInstanceOf(RedisCommandTimeoutException.class);
          sheaf.standalone().setAutoFlushCommands(true);
          assertThat(sheaf.sync().get("key")).isNull();
        });
  }

  @Test
  void requestQueueSize_boundsTheQueue() {
    outage(
        server,
        ClientOptions.builder().requestQueueSize(2).build(),
        BatchingOptions.builder().maxInFlightCommands(1).maxInFlightBytes(1_000).build(),
        (sheaf, proxy) -> {
          proxy.pauseToServer(true);
          List<RedisFuture<Long>> commands = new ArrayList<>();
          // The proxy may pass on a few before it pauses.
          Await.until(
              "a full queue",
              PATIENCE,
              () -> {
                commands.add(sheaf.async().incr("n"));
                return last(commands).isCompletedExceptionally();
              });
          assertThatThrownBy(last(commands)::join)
              .hasCauseInstanceOf(QueueFullException.class)
              .hasMessageContaining("maxQueuedCommands=2");
          proxy.pauseToServer(false);
          assertThat(commands.get(0).toCompletableFuture().join()).isEqualTo(1);
        });
  }
}
