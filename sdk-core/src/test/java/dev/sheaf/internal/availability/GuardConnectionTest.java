// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuardConnectionTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Else it would register a socket with an event loop that has ended meanwhile. */
  @Test
  void attemptThatIsJustBeginning_isKnownToTheOneThatStops() throws Exception {
    ClientResources resources = DefaultClientResources.create();
    SlowClient client = new SlowClient(resources);
    GuardConnection line =
        new GuardConnection(
            client,
            RedisURI.create("redis://127.0.0.1:1"),
            Duration.ofMillis(100),
            (task, nanos) -> true,
            new Jitter(Duration.ofSeconds(1)),
            (event, cause) -> {});
    try {
      Thread opening = new Thread(line::open);
      opening.start();
      assertThat(client.begun.await(10, TimeUnit.SECONDS)).isTrue();

      CompletableFuture<?> stopped = line.stop();
      assertThat(stopped).isNotDone();

      client.goesOn.countDown();
      opening.join();
      assertThat(stopped).isNotDone();
      client.outcome.completeExceptionally(new RedisConnectionException("refused"));
      assertThat(stopped.get(10, TimeUnit.SECONDS)).isNull();
    } finally {
      client.goesOn.countDown();
      client.shutdown();
      resources.shutdown(0, 10, TimeUnit.SECONDS).get();
    }
  }

  /** Else a server that drops connections, or a node that flaps, fills the memory. */
  @Test
  void lostConnections_areNotKeptByTheClient() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        CountingClient client = new CountingClient();
        RedisClient other = RedisClient.create(server.uri())) {
      RedisCommands<String, String> admin = other.connect().sync();
      BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
      GuardConnection line = connection(server, client, tasks);
      line.open();
      for (int i = 0; i < 5; i++) {
        runUntilConnected(line, tasks);
        Await.until("one is kept", PATIENCE, () -> client.getResourceCount() == 1);
        if (i % 2 == 0) {
          admin.clientKill(KillArgs.Builder.typeNormal().skipme(true));
        } else {
          line.renew();
        }
        Await.until("the loss is noticed", PATIENCE, () -> line.current() == null);
      }
      line.stop();
    }
  }

  @Test
  void connectionThatOpensTooLate_isLeftToAClientThatCloses() throws Exception {
    assertThat(openAfter(GuardConnection::stop)).isTrue();
  }

  @Test
  void connectionThatOpensTooLate_isClosedIfTheClientStays() throws Exception {
    assertThat(openAfter(GuardConnection::close)).isFalse();
  }

  /** Whether a connection that was opened before the end, and is handed over after it, is open. */
  private static boolean openAfter(Consumer<GuardConnection> end) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        CountingClient client = new CountingClient()) {
      BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
      GuardConnection line = connection(server, client, tasks);
      line.open();
      Runnable handOver = tasks.take();
      end.accept(line);
      handOver.run();
      return client.lastOpened().isOpen();
    }
  }

  private static GuardConnection connection(
      EmbeddedServer server, RedisClient client, BlockingQueue<Runnable> tasks) {
    return new GuardConnection(
        client,
        RedisURI.create(server.uri()),
        Duration.ofMillis(100),
        (task, nanos) -> tasks.add(task),
        new Jitter(Duration.ofSeconds(1)),
        (event, cause) -> {});
  }

  private static void runUntilConnected(GuardConnection line, BlockingQueue<Runnable> tasks)
      throws InterruptedException {
    while (line.current() == null) {
      tasks.take().run();
    }
  }

  /** Shows how many connections it keeps until they or it are closed. */
  private static final class CountingClient extends RedisClient {

    private volatile CompletableFuture<? extends StatefulRedisConnection<?, ?>> opened =
        new CompletableFuture<>();

    CountingClient() {
      super(null, new RedisURI());
    }

    @Override
    protected int getResourceCount() {
      return super.getResourceCount();
    }

    @Override
    public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
        RedisCodec<K, V> codec, RedisURI uri) {
      ConnectionFuture<StatefulRedisConnection<K, V>> opening = super.connectAsync(codec, uri);
      opened = opening.toCompletableFuture();
      return opening;
    }

    StatefulRedisConnection<?, ?> lastOpened() {
      return opened.join();
    }
  }

  /** Takes its time to begin an attempt. */
  private static final class SlowClient extends RedisClient {

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final CompletableFuture<Object> outcome = new CompletableFuture<>();

    SlowClient(ClientResources resources) {
      super(resources, new RedisURI());
    }

    @Override
    @SuppressWarnings("unchecked") // It never completes with a connection.
    public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
        RedisCodec<K, V> codec, RedisURI uri) {
      begun.countDown();
      try {
        goesOn.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return ConnectionFuture.from(
          InetSocketAddress.createUnresolved("localhost", 0),
          (CompletableFuture<StatefulRedisConnection<K, V>>) (CompletableFuture<?>) outcome);
    }
  }
}
