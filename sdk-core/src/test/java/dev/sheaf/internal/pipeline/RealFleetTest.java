// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ReconnectAttemptEvent;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/**
 * Real clients with the guard, in one JVM and with shared resources, whose embedded cluster
 * restarts whole; beside it the {@link SimulatedFleet} of the same size. {@code -Dfleet=100},
 * {@code -Dfleet.nodes=20} and {@code -Dfleet.away=3s} make it larger. It prints what it counts,
 * and asks only for what holds on any machine.
 */
@Tag("slow")
@Timeout(600)
class RealFleetTest {

  private static final int CLIENTS = Integer.getInteger("fleet", 12);
  private static final int NODES = Integer.getInteger("fleet.nodes", 5);
  private static final Duration AWAY =
      Duration.parse("PT" + System.getProperty("fleet.away", "1s"));
  private static final Duration IDLE =
      Duration.parse("PT" + System.getProperty("fleet.idle", "1s"));

  private static final int SECONDS = 600;

  /** Lettuce has one to each node, and one more for commands without a key. */
  private static final int CONNECTIONS_OF_ONE = NODES + 1;

  private static final int CONNECTIONS = CLIENTS * CONNECTIONS_OF_ONE;

  /** Counts attempts to reconnect, in each second since the loss. */
  private static final class AttemptCounter implements EventBus {

    private final AtomicIntegerArray attempts = new AtomicIntegerArray(SECONDS);
    private volatile long lostNanos = System.nanoTime();

    @Override
    public Flux<Event> get() {
      return Flux.never();
    }

    @Override
    public void publish(Event event) {
      if (event instanceof ReconnectAttemptEvent) {
        long since = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - lostNanos);
        attempts.incrementAndGet((int) Math.min(SECONDS - 1, since));
      }
    }
  }

  private final AttemptCounter counter = new AttemptCounter();

  @Test
  void wholeRestart_isSurvivedAsTheSimulationSays() throws Exception {
    ClientResources resources = DefaultClientResources.builder().eventBus(counter).build();
    List<Sheaf<String, String>> fleet = new ArrayList<>();
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(NODES, 0).start()) {
      for (int i = 0; i < CLIENTS; i++) {
        fleet.add(
            Sheaf.builder(server.uri())
                .clientResources(resources)
                .availability(AvailabilityOptions.defaults())
                .connect());
      }
      awaitAvailable(fleet);
      server.resetStats();
      LockSupport.parkNanos(IDLE.toNanos());
      long pings = server.stats().count("ping");

      long lostNanos = System.nanoTime();
      counter.lostNanos = lostNanos;
      server.nodes().forEach(EmbeddedNode::kill);
      server.resetStats();
      LockSupport.parkNanos(lostNanos + AWAY.toNanos() - System.nanoTime());
      server.nodes().forEach(EmbeddedNode::start);
      long startedNanos = System.nanoTime();
      echo(fleet);
      double wellSeconds = (System.nanoTime() - startedNanos) / 1e9;
      awaitAvailable(fleet);
      int looked = (int) Math.ceil((System.nanoTime() - lostNanos) / 1e9);

      SimulatedFleet simulated =
          new SimulatedFleet(
              CLIENTS, CONNECTIONS_OF_ONE, AWAY, ReconnectDelays.over(Delay.exponential()), true);
      int[] counted = IntStream.range(0, looked).map(counter.attempts::get).toArray();
      long connections = server.stats().connectionsReceived();
      long views = server.stats().count("cluster|nodes");
      System.out.printf(
          "%d clients of %d nodes, away for %s: attempts a second %s, simulated %s; well after"
              + " %.2f s, simulated %.2f s; connections accepted %,d, of which %,d asked for the"
              + " topology; PINGs in %s idle %,d%n",
          CLIENTS,
          NODES,
          AWAY,
          Arrays.toString(counted),
          Arrays.toString(Arrays.copyOf(simulated.attempts, looked)),
          wellSeconds,
          simulated.wellAfterSeconds(),
          connections,
          views,
          IDLE,
          pings);
      int all = IntStream.of(counted).sum();
      // Each was lost and tried again; how often depends on the time alone.
      assertThat(all).isGreaterThanOrEqualTo(CONNECTIONS);
      assertThat(all).isLessThanOrEqualTo(CONNECTIONS * mostAttempts(looked));
      // At least what was just used, and what looked at the topology.
      assertThat(connections).isGreaterThanOrEqualTo(CLIENTS * NODES + views);
      // One look a second in a JVM, of so many nodes at most, and the seeds once more.
      assertThat(views).isLessThanOrEqualTo(2L * NODES * (looked + 1));
    } finally {
      fleet.forEach(Sheaf::close);
      resources.shutdown(0, 10, TimeUnit.SECONDS).get();
    }
  }

  /** Ten short pauses, and then four of a quarter of a second at least in each second. */
  private static int mostAttempts(int seconds) {
    return 10 + 4 * seconds;
  }

  /** Returns when each client has an answer on each of its connections. */
  private static void echo(List<Sheaf<String, String>> fleet) throws Exception {
    List<CompletableFuture<String>> echoes = new ArrayList<>();
    for (Sheaf<String, String> sheaf : fleet) {
      for (RedisClusterNode node : sheaf.cluster().getPartitions()) {
        echoes.add(
            sheaf
                .cluster()
                .getConnection(node.getUri().getHost(), node.getUri().getPort())
                .async()
                .echo("well")
                .toCompletableFuture());
      }
    }
    assertThat(echoes).hasSize(CLIENTS * NODES);
    for (CompletableFuture<String> echo : echoes) {
      assertThat(echo.get(60, TimeUnit.SECONDS)).isEqualTo("well");
    }
  }

  private static void awaitAvailable(List<Sheaf<String, String>> fleet) {
    Await.until(
        "all to be available",
        Duration.ofSeconds(60),
        () -> fleet.stream().allMatch(sheaf -> sheaf.availability().isAvailable()));
  }
}
