// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.availability.GuardConnection.Event;
import dev.sheaf.testkit.FakeClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuardConnectionTest {

  /** So long that Lettuce, which has a clock of its own, ends no attempt within this test. */
  private static final Duration SHORTEST = Duration.ofMinutes(10);

  private static final Duration LONGEST = SHORTEST.multipliedBy(3);

  /** So short that the pause before each attempt is none. */
  private static final Duration INTERVAL = Duration.ofNanos(2);

  private static final Duration LITTLE = Duration.ofMillis(1);

  private final FakeClock clock = new FakeClock();
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();

  @Test
  void silentServer_isToldOfAfterTheShortestLimit_andTheAttemptGoesOn() throws Exception {
    // The backlog takes connections; nothing is read from them.
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      RedisURI uri = RedisURI.create("127.0.0.1", silent.getLocalPort());
      uri.setTimeout(LONGEST);
      RedisClient client = RedisClient.create();
      try {
        GuardConnection line =
            new GuardConnection(
                client,
                uri,
                SHORTEST,
                clock,
                new Jitter(INTERVAL, 0, new Random(1)),
                (event, cause) -> events.add(event));
        line.open();
        for (int attempt = 1; attempt <= 2; attempt++) {
          clock.pass(SHORTEST.minus(LITTLE));
          assertThat(events).isEmpty();
          clock.pass(LITTLE);
          assertThat(events).containsExactly(Event.SILENT);
          assertThat(line.isOpening()).as("a host may be far away").isTrue();
          events.clear();

          clock.pass(LONGEST.minus(SHORTEST).minus(LITTLE));
          assertThat(events).isEmpty();
          clock.pass(LITTLE);
          assertThat(events).containsExactly(Event.NOT_OPENED);
          events.clear();
        }
        line.close();
      } finally {
        client.shutdownAsync(0, 0, TimeUnit.SECONDS).join();
      }
    }
  }
}
