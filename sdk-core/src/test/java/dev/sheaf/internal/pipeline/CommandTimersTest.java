// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Which commands Lettuce's timer times out: those that no blocked caller awaits, blocking commands
 * such as BLPOP, and all of them if each may have a time-out of its own.
 */
@org.junit.jupiter.api.Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class CommandTimersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofMinutes(10);

  private final EmbeddedServer server = EmbeddedServer.start();
  private final LatencyProxy proxy =
      LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  private final CountingTimer timer = new CountingTimer();
  private final ClientResources resources = ClientResources.builder().timer(timer).build();

  @AfterEach
  void close() throws Exception {
    resources.shutdown(0, 5, TimeUnit.SECONDS).get(30, TimeUnit.SECONDS);
    timer.stop();
    proxy.close();
    server.close();
  }

  private Sheaf<String, String> connect(Duration timeout, TimeoutOptions timeouts) {
    SheafBuilder<String, String> builder =
        Sheaf.builder("redis://127.0.0.1:" + proxy.port())
            .batching(BatchingOptions.builder().maxLanes(0).build())
            .clientResources(resources)
            .clientOptions(ClientOptions.builder().timeoutOptions(timeouts).build())
            .commandTimeout(timeout);
    return builder.connect();
  }

  @Test
  void blockedCallers_endTheirOwnWaits() {
    try (Sheaf<String, String> sheaf = connect(LONG, TimeoutOptions.enabled())) {
      sheaf.sync().set("key", "value");
      int before = timer.started.get();
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
      assertThat(sheaf.sync().incr("n")).isEqualTo(1);
      assertThat(sheaf.getAll(List.of("key", "other"))).hasSize(2);
      assertThat(sheaf.setAll(Map.of("a", "1", "b", "2"))).hasSize(2);
      assertThat(timer.started).hasValue(before);
    }
  }

  @Test
  void futures_areTimed() {
    try (Sheaf<String, String> sheaf = connect(LONG, TimeoutOptions.enabled())) {
      sheaf.sync().set("key", "value");
      int before = timer.started.get();
      assertThat(sheaf.async().get("key").toCompletableFuture().join()).isEqualTo("value");
      assertThat(timer.started).hasValueGreaterThan(before);
    }
  }

  /**
   * Nobody ends the wait of a thread that was interrupted, and behind BLPOP nothing is answered.
   */
  @Test
  void interruptedBlockingCommand_doesNotBlockItsConnectionForEver() throws Exception {
    try (Sheaf<String, String> sheaf = connect(Duration.ofSeconds(1), TimeoutOptions.enabled())) {
      sheaf.sync().set("key", "value");
      Thread blocked = new Thread(() -> replyOf(() -> sheaf.sync().blpop(0, "list")));
      blocked.start();
      Await.until("BLPOP to block", PATIENCE, this::isAnyClientBlocked);
      blocked.interrupt();
      blocked.join();
      Await.until(
          "an answer", PATIENCE, () -> "value".equals(replyOf(() -> sheaf.sync().get("key"))));
    }
  }

  private boolean isAnyClientBlocked() {
    try (Sheaf<String, String> other = Sheaf.connect("redis://127.0.0.1:" + server.port())) {
      return other.sync().info("clients").contains("blocked_clients:1");
    }
  }

  private static <T> @Nullable T replyOf(Supplier<T> call) {
    try {
      return call.get();
    } catch (RedisException interruptedOrLate) {
      return null;
    }
  }

  private static void assertTimesOut(Sheaf<String, String> sheaf) {
    assertThatThrownBy(() -> sheaf.sync().get("key"))
        .isInstanceOf(RedisCommandTimeoutException.class);
  }

  @Test
  void commandsWithTimeoutsOfTheirOwn_areTimed_thoughTheirCallersBlock() {
    TimeoutOptions timeouts = TimeoutOptions.enabled(SHORT);
    try (Sheaf<String, String> sheaf = connect(LONG, timeouts)) {
      Await.until("a reply", PATIENCE, () -> "OK".equals(sheaf.sync().set("key", "value")));
      int before = timer.started.get();
      sheaf.sync().get("key");
      assertThat(timer.started).hasValueGreaterThan(before);
      proxy.pauseToClient(true);
      assertTimesOut(sheaf);
      proxy.pauseToClient(false);
    }
  }

  /** Counts what is to be called later. */
  private static final class CountingTimer extends HashedWheelTimer {

    private final AtomicInteger started = new AtomicInteger();

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
      started.incrementAndGet();
      return super.newTimeout(task, delay, unit);
    }
  }
}
