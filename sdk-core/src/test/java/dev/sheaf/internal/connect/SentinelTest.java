// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.HealedConnection;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.common.Uris;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A primary that a Sentinel names. */
class SentinelTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final RedisURI SHOP =
      RedisURI.Builder.sentinel("one.example", 26379, "shop").build();

  @Test
  void clientOfASentinel_readsFromThePrimaryAndWatchesIt() {
    try (EmbeddedServer server = EmbeddedServer.builder().replicas(1).sentinel("shop").start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.sentinelUri())) {
      sheaf.sync().set("key", "value");
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
      assertThat(sheaf.availability().withTimeout(Duration.ofSeconds(5)).ping()).isPositive();
    }
  }

  /** Nothing is written, so no READONLY tells that it is a replica. */
  @Test
  void clientThatOnlyReads_movesToThePrimaryThatASentinelAnnounces() {
    try (EmbeddedServer server = EmbeddedServer.builder().replicas(1).sentinel("shop").start();
        RespConnection sentinel = RespConnection.open("127.0.0.1", server.sentinelPort());
        Sheaf<String, String> sheaf = Sheaf.connect(server.sentinelUri())) {
      sheaf.sync().set("key", "value");
      int before = portOf(sheaf);
      awaitSubscription(sentinel);
      sentinel.call("SENTINEL", "FAILOVER", "shop");
      Await.until("the new primary", PATIENCE, () -> portOf(sheaf) != before);
      assertThat(sheaf.healed())
          .extracting(HealedConnection::cause)
          .containsOnly(HealedConnection.Cause.FAILOVER);
      assertThat(sheaf.healed().get(0).reason())
          .contains("the Sentinel at 127.0.0.1:" + server.sentinelPort())
          .contains(":" + portOf(sheaf));
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
      assertThat(sheaf.sync().set("key", "other")).isEqualTo("OK");
    }
  }

  private static int portOf(Sheaf<String, String> sheaf) {
    String port =
        sheaf
            .sync()
            .info("server")
            .lines()
            .filter(line -> line.startsWith("tcp_port:"))
            .findFirst()
            .orElseThrow();
    return Integer.parseInt(port.substring(port.indexOf(':') + 1).strip());
  }

  private static void awaitSubscription(RespConnection sentinel) {
    Await.until("a subscription", PATIENCE, () -> subscriptions(sentinel) == 1);
  }

  private static long subscriptions(RespConnection sentinel) {
    return sentinel.text("CLIENT", "LIST").lines().filter(line -> line.contains(" sub=1 ")).count();
  }

  @Test
  void withoutHealing_noSentinelIsSubscribedTo() {
    try (EmbeddedServer server = EmbeddedServer.builder().replicas(1).sentinel("shop").start();
        RespConnection sentinel = RespConnection.open("127.0.0.1", server.sentinelPort());
        Sheaf<String, String> without =
            Sheaf.builder(server.sentinelUri())
                .healing(HealingOptions.builder().enabled(false).build())
                .connect()) {
      try (Sheaf<String, String> with = Sheaf.connect(server.sentinelUri())) {
        assertThat(with.sync().ping()).isEqualTo(without.sync().ping());
        awaitSubscription(sentinel);
      }
      Await.until("no subscription", PATIENCE, () -> subscriptions(sentinel) == 0);
      assertThat(without.sync().ping()).isEqualTo("PONG");
    }
  }

  @Test
  void sentinelThatCannotBeReached_isTriedAgain_untilTheClientIsClosed() {
    List<String> asked = new ArrayList<>();
    AtomicReference<Runnable> again = new AtomicReference<>();
    SentinelWatch watch =
        new SentinelWatch(
            SHOP,
            sentinel -> {
              asked.add(sentinel.getHost());
              if (asked.size() == 1) {
                throw new IllegalStateException("on purpose");
              }
              return CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
            },
            (task, nanos) -> {
              assertThat(nanos).isEqualTo(SentinelWatch.RETRY_NANOS);
              again.set(task);
              return true;
            },
            (primary, reason) -> {
              throw new AssertionError(reason);
            });
    watch.start();
    again.get().run();
    again.get().run();
    assertThat(asked).containsExactly("one.example", "one.example", "one.example");
    watch.close();
    again.get().run();
    assertThat(asked).hasSize(3);
  }

  @Test
  void announcements_areOfThisPrimary_andMayBeAnything() {
    try (EmbeddedServer server = EmbeddedServer.start();
        RespConnection publisher = RespConnection.open("127.0.0.1", server.port())) {
      RedisClient client = RedisClient.create(server.uri());
      try {
        List<String> primaries = new CopyOnWriteArrayList<>();
        new SentinelWatch(
                SHOP,
                sentinel ->
                    client.connectPubSubAsync(StringCodec.UTF8, RedisURI.create(server.uri())),
                (task, nanos) -> true,
                (primary, reason) -> primaries.add(primary.getHost() + ":" + primary.getPort()))
            .start();
        Await.until(
            "a subscription",
            PATIENCE,
            () -> Objects.equals(publisher.call("PUBLISH", "+switch-master", ""), 1L));
        for (String message :
            List.of(
                "other 10.0.0.1 6379 10.0.0.2 6379",
                "shop",
                "shop a b c d",
                "shop 10.0.0.1 -1 10.0.0.2 6379",
                "shop 10.0.0.1 99999 10.0.0.2 6379",
                "shop  6379 10.0.0.2 6379",
                "shop 10.0.0.1 6379 10.0.0.2 6379 more",
                "shop 10.0.0.1 6379 10.0.0.2 6380")) {
          publisher.call("PUBLISH", "+switch-master", message);
        }
        Await.until("the last one", PATIENCE, () -> !primaries.isEmpty());
        assertThat(primaries).containsExactly("10.0.0.1:6379");
      } finally {
        client.shutdown(Duration.ZERO, PATIENCE);
      }
    }
  }

  @Test
  void aCopyOfAUri_hasAllOfItsSentinels() {
    RedisURI uri =
        RedisURI.Builder.sentinel("one.example", 26379, "shop")
            .withSentinel("two.example", 26380)
            .build();
    RedisURI copy = Uris.withTimeout(uri, Duration.ofSeconds(7));
    assertThat(copy.getTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(copy.getSentinelMasterId()).isEqualTo("shop");
    assertThat(copy.getSentinels()).hasSize(2).isEqualTo(uri.getSentinels());
  }
}
