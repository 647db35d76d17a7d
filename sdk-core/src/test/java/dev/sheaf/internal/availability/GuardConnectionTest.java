// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuardConnectionTest {

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
