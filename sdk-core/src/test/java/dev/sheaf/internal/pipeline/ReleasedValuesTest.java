// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A timer keeps the task of a time-out for a while after it was cancelled. The values that were
 * read meanwhile must not stay in memory with it.
 */
class ReleasedValuesTest {

  private static final int VALUES = 20;

  @Test
  void theTimeoutOfACommandDoesNotKeepItsValue() {
    KeepingTimer timer = new KeepingTimer();
    ClientResources resources = ClientResources.builder().timer(timer).build();
    try (EmbeddedServer server = EmbeddedServer.builder().start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).clientResources(resources).connect()) {
      sheaf.sync().set("large", "v".repeat(100_000));
      timer.tasks.clear();

      List<WeakReference<String>> values = read(sheaf);

      assertThat(timer.tasks).as("time-outs of reads").isNotEmpty();
      // The client and Lettuce may keep the last reply of a connection.
      Await.until(
          "the values to be unreachable",
          Duration.ofSeconds(60),
          () -> {
            System.gc();
            return values.stream().filter(value -> value.get() != null).count() <= 1;
          });
    } finally {
      resources.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
      timer.stop();
    }
  }

  private static List<WeakReference<String>> read(Sheaf<String, String> sheaf) {
    List<WeakReference<String>> values = new ArrayList<>();
    for (int i = 0; i < VALUES; i++) {
      values.add(new WeakReference<>(sheaf.sync().get("large")));
      values.add(new WeakReference<>(sheaf.async().get("large").toCompletableFuture().join()));
    }
    return values;
  }

  /** Keeps all tasks. */
  private static final class KeepingTimer implements Timer {

    private final Timer wheel = new HashedWheelTimer();
    private final Queue<TimerTask> tasks = new ConcurrentLinkedQueue<>();

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
      tasks.add(task);
      return wheel.newTimeout(task, delay, unit);
    }

    @Override
    public Set<Timeout> stop() {
      return wheel.stop();
    }
  }
}
