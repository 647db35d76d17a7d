// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.SlotMigration;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lanes to the nodes of a cluster: redirections, order, and their number. */
@Timeout(180)
class ClusterLanesTest {

  private static final int CALLERS = 2;
  private static final int COUNTERS = 32;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static List<EmbeddedNode> masters(EmbeddedServer server) {
    return server.nodes().stream().filter(EmbeddedNode::isMaster).toList();
  }

  private static int drivers(Sheaf<String, String> sheaf, EmbeddedNode node) {
    return drivers(sheaf, node.port());
  }

  private static int drivers(Sheaf<String, String> sheaf, int port) {
    StatefulRedisConnectionImpl<?, ?> main =
        (StatefulRedisConnectionImpl<?, ?>) sheaf.cluster().getConnection("127.0.0.1", port);
    return Objects.requireNonNull(((NodeWriter) main.getChannelWriter()).pipeline().lanes())
        .drivers();
  }

  private static boolean allHaveLanes(Sheaf<String, String> sheaf, EmbeddedServer server) {
    return masters(server).stream().allMatch(node -> drivers(sheaf, node) >= CALLERS);
  }

  private static String counter(int caller, int number) {
    return "{" + number + "}counter:" + caller;
  }

  /** Threads that each count in keys of their own, on all nodes, and look for what never was. */
  private static final class Callers implements AutoCloseable {
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong rounds = new AtomicLong();
    private final List<CompletableFuture<Void>> running = new ArrayList<>();

    Callers(Sheaf<String, String> sheaf, int callers) {
      for (int caller = 0; caller < callers; caller++) {
        CompletableFuture<Void> call = new CompletableFuture<>();
        int number = caller;
        running.add(call);
        new Thread(
                () -> {
                  try {
                    count(sheaf, number);
                    call.complete(null);
                  } catch (Throwable e) {
                    call.completeExceptionally(e);
                  }
                })
            .start();
      }
    }

    private void count(Sheaf<String, String> sheaf, int caller) {
      for (long round = 1; !over.get(); round++) {
        for (int i = 0; i < COUNTERS; i++) {
          String key = counter(caller, i);
          assertThat(sheaf.sync().incr(key)).isEqualTo(round);
          assertThat(sheaf.sync().get(key)).isEqualTo(Long.toString(round));
          assertThat(sheaf.sync().get("{" + i + "}none")).isNull();
        }
        rounds.incrementAndGet();
      }
    }

    void awaitRounds(int more) {
      long until = rounds.get() + more;
      await("more calls", () -> rounds.get() >= until);
    }

    void awaitLanes(Sheaf<String, String> sheaf, EmbeddedServer server) {
      await("lanes to each node", () -> allHaveLanes(sheaf, server));
    }

    private void await(String what, BooleanSupplier condition) {
      Await.until(
          what,
          PATIENCE,
          () ->
              condition.getAsBoolean()
                  || running.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
    }

    @Override
    public void close() {
      over.set(true);
      for (CompletableFuture<Void> call : running) {
        call.orTimeout(60, TimeUnit.SECONDS).join();
      }
    }
  }

  @Test
  void callersAtOnce_haveLanesToEachNode_andLoseNothingWhileSlotsMove() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Callers callers = new Callers(sheaf, CALLERS)) {
      callers.awaitLanes(sheaf, server);
      List<EmbeddedNode> nodes = masters(server);
      for (int i = 0; i < COUNTERS; i++) {
        int slot = SlotHash.getSlot("{" + i + "}");
        EmbeddedNode from =
            nodes.stream().filter(node -> node.slots().get(slot)).findFirst().orElseThrow();
        EmbeddedNode to = nodes.get((nodes.indexOf(from) + 1) % nodes.size());
        SlotMigration migration = server.beginMigration(slot, from, to);
        callers.awaitRounds(CALLERS);
        migration.finish();
        callers.awaitRounds(CALLERS);
      }
      assertThat(allHaveLanes(sheaf, server)).as("lanes that were asked are still used").isTrue();
    }
  }

  /**
   * The nodes announce ports that only their own network has. The application's resolver knows what
   * they are here, and nothing else.
   */
  @Test
  void lanes_areResolvedAsTheirNodesAre() {
    Map<Integer, Integer> mapping = new ConcurrentHashMap<>();
    Set<Integer> unknown = ConcurrentHashMap.newKeySet();
    ClientResources resources =
        DefaultClientResources.builder()
            .socketAddressResolver(
                MappingSocketAddressResolver.create(
                    DnsResolvers.UNRESOLVED,
                    address -> {
                      Integer port = mapping.get(address.getPort());
                      if (port == null) {
                        unknown.add(address.getPort());
                        throw new IllegalArgumentException("Unknown: " + address);
                      }
                      return HostAndPort.of(address.getHostText(), port);
                    }))
            .build();
    List<LatencyProxy> proxies = new ArrayList<>();
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start()) {
      int announced = 1; // Where nothing listens.
      for (EmbeddedNode node : server.nodes()) {
        LatencyProxy gateway = LatencyProxy.builder().target("127.0.0.1", node.port()).start();
        proxies.add(gateway);
        mapping.put(announced, gateway.port());
        node.announcePort(announced++);
      }
      try (Sheaf<String, String> sheaf =
              Sheaf.builder("redis://127.0.0.1:1").clientResources(resources).connect();
          Callers callers = new Callers(sheaf, CALLERS)) {
        callers.await(
            "lanes to each node",
            () -> mapping.keySet().stream().allMatch(port -> drivers(sheaf, port) >= CALLERS));
        assertThat(unknown).isEmpty();
      }
    } finally {
      proxies.forEach(LatencyProxy::close);
      resources.shutdown();
    }
  }

  @Test
  void nodesThatAreTooMany_haveNoLanes() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(4, 3).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Callers callers = new Callers(sheaf, CALLERS)) {
      callers.awaitRounds(100);
      assertThat(masters(server)).allMatch(node -> drivers(sheaf, node) == 1);
    }
  }
}
