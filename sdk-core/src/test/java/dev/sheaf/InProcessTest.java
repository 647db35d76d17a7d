// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.EmbeddedServerBuilder;
import dev.sheaf.embedded.lettuce.InProcessResources;
import dev.sheaf.testkit.Await;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client in the JVM of its server: on the event loop of the server, and on one of its own. */
@Timeout(180)
class InProcessTest {
  private static final int THREADS = 16;
  private static final int READS_EACH = 2_000;
  private static final int KEYS = 1_000;

  /** A server, the resources that lead to it, and a client with them. */
  private static final class InProcessClient implements AutoCloseable {
    final EmbeddedServer server;
    final ClientResources resources;
    final Sheaf<String, String> sheaf;

    InProcessClient(boolean oneLoop, boolean cluster) {
      boolean epoll = Transports.socketChannelClass().getSimpleName().startsWith("Epoll");
      EmbeddedServerBuilder builder = EmbeddedServer.builder();
      if (epoll && oneLoop) {
        builder.epoll();
      }
      server = (cluster ? builder.cluster(3, 0) : builder).start();
      resources = InProcessResources.builder(server).build();
      sheaf =
          Sheaf.builder(List.of(RedisURI.create(server.uri())))
              .clientResources(resources)
              .connect();
    }

    @Override
    public void close() {
      sheaf.close();
      resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
      server.close();
    }
  }

  private static String value(int i) {
    return "value-" + i;
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "true, true", "false, true"})
  void everyCaller_getsItsOwnAnswer(boolean oneLoop, boolean cluster) throws Exception {
    try (InProcessClient client = new InProcessClient(oneLoop, cluster)) {
      Sheaf<String, String> sheaf = client.sheaf;
      List<RedisFuture<String>> written = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        written.add(sheaf.async().set("key" + i, value(i)));
      }
      for (RedisFuture<String> future : written) {
        assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo("OK");
      }
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        List<Callable<Integer>> readers = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
          int from = thread * 61;
          readers.add(
              () -> {
                int right = 0;
                for (int i = from; i < from + READS_EACH; i++) {
                  right += value(i % KEYS).equals(sheaf.sync().get("key" + i % KEYS)) ? 1 : 0;
                }
                return right;
              });
        }
        for (Future<Integer> reader : threads.invokeAll(readers)) {
          assertThat(reader.get()).isEqualTo(READS_EACH);
        }
      } finally {
        threads.shutdownNow();
      }
      List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "key" + i).toList();
      Map<String, Result<String>> all = sheaf.getAll(keys);
      for (int i = 0; i < KEYS; i++) {
        assertThat(all.get("key" + i)).isEqualTo(new Result.Value<>(value(i)));
      }
    }
  }

  /** Batches, pages and values beyond what either end takes at once. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void largeValuesAndErrors_comeWhole(boolean oneLoop) throws Exception {
    try (InProcessClient client = new InProcessClient(oneLoop, false)) {
      Sheaf<String, String> sheaf = client.sheaf;
      String large = "x".repeat(3_000_000);
      sheaf.sync().set("large", large);
      sheaf.sync().rpush("list", "a");
      List<RedisFuture<String>> futures = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        futures.add(sheaf.async().get(i % 2 == 0 ? "large" : "none"));
      }
      for (int i = 0; i < futures.size(); i++) {
        assertThat(futures.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i % 2 == 0 ? large : null);
      }
      assertThatThrownBy(() -> sheaf.sync().get("list")).hasMessageContaining("WRONGTYPE");
      assertThat(sheaf.sync().get("large")).hasSize(large.length());
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void connectionThatIsKilled_isReplaced(boolean oneLoop) throws Exception {
    try (InProcessClient client = new InProcessClient(oneLoop, false);
        Sheaf<String, String> other = Sheaf.connect(client.server.uri())) {
      client.sheaf.sync().set("key", "value");
      for (int round = 0; round < 5; round++) {
        long before = client.sheaf.sync().clientId();
        other.sync().clientKill(KillArgs.Builder.id(before));
        Await.until(
            "another connection answers",
            Duration.ofSeconds(20),
            () -> {
              try {
                return client.sheaf.sync().clientId() != before;
              } catch (RuntimeException e) {
                return false;
              }
            });
        assertThat(client.sheaf.sync().get("key")).isEqualTo("value");
      }
    }
  }

  /** What a callback sends from the shared event loop is answered as well. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void callbacksThatSendMore_areAnswered(boolean oneLoop) throws Exception {
    try (InProcessClient client = new InProcessClient(oneLoop, false)) {
      CompletionStage<Long> chain = client.sheaf.async().incr("counter");
      for (int i = 1; i < 500; i++) {
        chain = chain.thenCompose(n -> client.sheaf.async().incr("counter"));
      }
      assertThat(chain.toCompletableFuture().get(60, TimeUnit.SECONDS)).isEqualTo(500);
    }
  }
}
