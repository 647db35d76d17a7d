// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class NodeWatchTest {

  /** A cluster's view that fails after the first look, as it may while it is replaced. */
  private static final class FailingSource implements NodeSource<String> {

    private final EmbeddedServer server;
    private final AtomicInteger looks = new AtomicInteger();

    FailingSource(EmbeddedServer server) {
      this.server = server;
    }

    @Override
    public Collection<Node> nodes() {
      if (looks.incrementAndGet() == 2) {
        throw new IllegalStateException("no view of the nodes just now");
      }
      return List.of(new Node("only", RedisURI.create(server.uri()), 16_384));
    }

    @Override
    public boolean isCluster() {
      return true;
    }

    @Override
    public String nodeOf(String key) {
      return "only";
    }

    @Override
    public @Nullable ReplyActivity signsOf(Node node) {
      return null;
    }

    @Override
    public void refresh() {
      // There is nothing to find.
    }
  }

  @Test
  void viewOfTheNodesThatFailsOnce_isAskedAgain() throws Exception {
    ClientResources resources = ClientResources.create();
    try (EmbeddedServer server = EmbeddedServer.start()) {
      FailingSource source = new FailingSource(server);
      NodeWatch<String> watch =
          NodeWatch.own(
              source,
              new WatchSettings(
                  AvailabilityOptions.builder().interval(Duration.ofMillis(20)).build(),
                  resources,
                  null,
                  Duration.ofSeconds(5),
                  Duration.ofSeconds(2),
                  (failure, limit) -> String.valueOf(failure.getMessage()),
                  null,
                  "test"));
      try {
        watch.beginSoon();
        Await.until(
            "looks after the one that failed",
            Duration.ofSeconds(10),
            () -> source.looks.get() > 3);
        assertThat(watch.availability().nodes()).containsOnlyKeys("only");
      } finally {
        watch.close();
      }
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
