// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds up the event loops of the data connections does not hold up a PING. */
@Timeout(180)
class GuardThreadsTest {

  /** As few as Lettuce allows, so that three nodes occupy all of them. */
  private static final int EVENT_LOOPS = 2;

  /** A fourth of the threads, and at least one, run event loops of data. */
  private static final int DATA_LOOPS = 1;

  @Test
  void pingWhileAllEventLoopsOfDataAreHeldUp_isAnswered() throws Exception {
    ClientResources resources = ClientResources.builder().ioThreadPoolSize(EVENT_LOOPS).build();
    CountDownLatch release = new CountDownLatch(1);
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .clientResources(resources)
                .availability(AvailabilityOptions.defaults())
                .connect()) {
      Availability<String> patient = sheaf.availability().withTimeout(Duration.ofSeconds(20));
      patient.ping();
      try {
        CountDownLatch held = new CountDownLatch(DATA_LOOPS);
        List<CompletableFuture<?>> callbacks = new ArrayList<>();
        // Keys of all three nodes, and replies that come later, so that event loops call back.
        for (String key : List.of("a", "b", "c", "d", "e", "f")) {
          callbacks.add(
              sheaf
                  .async()
                  .blpop(1, key)
                  .toCompletableFuture()
                  .thenRun(
                      () -> {
                        held.countDown();
                        await(release);
                      }));
        }
        assertThat(held.await(60, TimeUnit.SECONDS)).as("all event loops wait").isTrue();
        assertThat(patient.ping()).isPositive();
      } finally {
        release.countDown();
      }
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
