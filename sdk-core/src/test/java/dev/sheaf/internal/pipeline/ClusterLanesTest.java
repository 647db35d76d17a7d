// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.SlotMigration;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.testkit.Await;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ConnectionIntent;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
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
    return lanes(sheaf, port).drivers();
  }

  private static Lanes lanes(Sheaf<String, String> sheaf, int port) {
    return lanes(sheaf, port, ConnectionIntent.WRITE);
  }

  private static Lanes lanes(Sheaf<String, String> sheaf, int port, ConnectionIntent intent) {
    StatefulRedisConnectionImpl<?, ?> main =
        (StatefulRedisConnectionImpl<?, ?>)
            sheaf.cluster().getConnection("127.0.0.1", port, intent);
    return Objects.requireNonNull(((NodeWriter) main.getChannelWriter()).pipeline().lanes());
  }

  private static boolean allHaveLanes(Sheaf<String, String> sheaf, EmbeddedServer server) {
    return masters(server).stream().allMatch(node -> drivers(sheaf, node) >= CALLERS);
  }

  private static String counter(int caller, int number) {
    return "{" + number + "}counter:" + caller;
  }

  /** What a caller does again and again. */
  private interface Round {
    void run(int caller, long round);
  }

  /** Each counts in keys of its own, on all nodes, and looks for what never was. */
  private static Callers counting(Sheaf<String, String> sheaf) {
    return new Callers(
        (caller, round) -> {
          for (int i = 0; i < COUNTERS; i++) {
            String key = counter(caller, i);
            assertThat(sheaf.sync().incr(key)).isEqualTo(round);
            assertThat(sheaf.sync().get(key)).isEqualTo(Long.toString(round));
            assertThat(sheaf.sync().get("{" + i + "}none")).isNull();
          }
        });
  }

  /** Threads that call at once. */
  private static final class Callers implements AutoCloseable {
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong rounds = new AtomicLong();
    private final List<CompletableFuture<Void>> running = new ArrayList<>();

    Callers(Round round) {
      for (int caller = 0; caller < CALLERS; caller++) {
        CompletableFuture<Void> call = new CompletableFuture<>();
        int number = caller;
        running.add(call);
        new Thread(
                () -> {
                  try {
                    repeat(round, number);
                    call.complete(null);
                  } catch (Throwable e) {
                    call.completeExceptionally(e);
                  }
                })
            .start();
      }
    }

    private void repeat(Round round, int caller) {
      for (long number = 1; !over.get(); number++) {
        round.run(caller, number);
        rounds.incrementAndGet();
      }
    }

    void awaitRounds(int more) {
      long until = rounds.get() + more;
      await("more calls", () -> rounds.get() >= until);
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
        Callers callers = counting(sheaf)) {
      callers.await("lanes to each node", () -> allHaveLanes(sheaf, server));
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
          Callers callers = counting(sheaf)) {
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

  /** As after a write on a lane that timed out: the server may not have read it yet. */
  @Test
  void keysOfANode_areReadOnTheLaneWhereTheirThreadHasAnUnansweredCommand() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      try (Callers callers = counting(sheaf)) {
        callers.await("lanes to each node", () -> allHaveLanes(sheaf, server));
      }
      List<String> keys =
          masters(server).stream()
              .map(
                  node ->
                      IntStream.range(0, SlotHash.SLOT_COUNT)
                          .mapToObj(i -> "key" + i)
                          .filter(key -> node.slots().get(SlotHash.getSlot(key)))
                          .findFirst()
                          .orElseThrow())
              .toList();
      keys.forEach(key -> sheaf.sync().set(key, key));
      int port = masters(server).get(1).port();
      // So that a read on the first connection would not be answered.
      sheaf.cluster().getConnection("127.0.0.1", port).setAutoFlushCommands(false);
      Lanes lanes = lanes(sheaf, port);
      CompletableFuture<Map<String, Result<String>>> values = new CompletableFuture<>();
      new Thread(
              () -> {
                // So that it drives the event loop of the first node, most probably.
                IntStream.range(0, 100)
                    .forEach(i -> sheaf.getAll(List.of(keys.get(0), keys.get(2))));
                leaveUnanswered(lanes);
                values.complete(sheaf.getAll(keys));
              })
          .start();
      Map<String, Result<String>> read = values.get(60, TimeUnit.SECONDS);
      keys.forEach(key -> assertThat(read.get(key).orNull()).isEqualTo(key));
    }
  }

  /** Counts a command of the current thread on a lane for ever. */
  private static void leaveUnanswered(Lanes lanes) {
    PendingQueue.Chain read = read();
    NodePipeline lane =
        candidates(lanes, read).stream()
            .filter(pipeline -> pipeline.lanes() == null)
            .findFirst()
            .orElseThrow();
    assertThat(lanes.enter(lane, read)).isTrue();
  }

  private static PendingQueue.Chain read() {
    PendingQueue.Chain chain = new PendingQueue.Chain();
    chain.append(
        EncodedCommand.encode(
            new Command<>(
                CommandType.GET,
                new StatusOutput<>(StringCodec.ASCII),
                new CommandArgs<>(StringCodec.ASCII).addKey("key")),
            false));
    return chain;
  }

  /** The connections that the current thread may take for a command. */
  private static List<NodePipeline> candidates(Lanes lanes, PendingQueue.Chain command) {
    List<NodePipeline> all = new ArrayList<>();
    lanes.tryDrive(
        command,
        pipeline -> {
          all.add(pipeline);
          return false;
        });
    return all;
  }

  @Test
  void lanesThatAreOpen_areNotUsedAfterReadOnly() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(1, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      try (Callers callers = counting(sheaf)) {
        callers.await("lanes", () -> allHaveLanes(sheaf, server));
      }
      int port = server.port();
      assertThat(candidates(lanes(sheaf, port), read())).hasSizeGreaterThan(1);
      sheaf.cluster().getConnection("127.0.0.1", port).sync().readOnly();
      assertThat(candidates(lanes(sheaf, port), read()))
          .singleElement()
          .matches(pipeline -> pipeline.lanes() != null);
    }
  }

  @Test
  void connectionsToReplicas_haveLanesThatReadFromThem() throws Exception {
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "key" + i).toList();
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 1).start()) {
      List<EmbeddedNode> replicas =
          server.nodes().stream().filter(node -> !node.isMaster()).toList();
      try (Sheaf<String, String> writer = Sheaf.connect(server.uri())) {
        keys.forEach(key -> writer.sync().set(key, key));
      }
      try (Sheaf<String, String> sheaf = connectToReplicas(server, keys)) {
        server.resetStats();
        try (Callers readers =
            new Callers(
                (caller, round) -> {
                  String key = keys.get((int) round % keys.size());
                  assertThat(sheaf.sync().get(key)).isEqualTo(key);
                })) {
          readers.await(
              "lanes to each replica",
              () ->
                  replicas.stream()
                      .map(node -> lanes(sheaf, node.port(), ConnectionIntent.READ))
                      .allMatch(lanes -> lanes.drivers() >= CALLERS));
          readers.awaitRounds(1_000);
        }
        // A lane without READONLY would be redirected.
        assertThat(masters(server)).allMatch(node -> node.stats().count("get") == 0);
      }
    }
  }

  /** Lettuce reads from replicas that had data when it asked for the topology. */
  private static Sheaf<String, String> connectToReplicas(EmbeddedServer server, List<String> keys) {
    AtomicReference<Sheaf<String, String>> client = new AtomicReference<>();
    Await.until(
        "the replicas",
        PATIENCE,
        () -> {
          Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
          sheaf.cluster().setReadFrom(ReadFrom.REPLICA);
          if (sheaf.getAll(keys).values().stream().allMatch(Result::isPresent)) {
            client.set(sheaf);
            return true;
          }
          sheaf.close();
          return false;
        });
    return client.get();
  }

  @Test
  void nodesThatAreTooMany_haveNoLanes() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(4, 3).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Callers callers = counting(sheaf)) {
      callers.awaitRounds(100);
      assertThat(masters(server)).allMatch(node -> drivers(sheaf, node) == 1);
    }
  }
}
