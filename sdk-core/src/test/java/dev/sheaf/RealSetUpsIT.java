// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Set-ups that only real servers have: their limits, their names and their addresses. */
@Timeout(180)
class RealSetUpsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> KEYS =
      IntStream.range(0, 60).mapToObj(i -> "{" + i % 6 + "}key:" + i).toList();

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void serverWithoutRoomForAClient_isNamedByTheError() {
    try (RealRedis server = RealRedis.start();
        RespConnection admin = server.connect()) {
      admin.call("CONFIG", "SET", "maxclients", "1");
      assertThatThrownBy(() -> Sheaf.connect(server.uri()).close())
          .hasStackTraceContaining("max number of clients reached");
      admin.call("CONFIG", "SET", "maxclients", "100");
      try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
        SetUpsTest.use(sheaf);
      }
    }
  }

  /** Its connections are cut, and the server takes no others for a while. */
  @Test
  void clientThatFindsNoRoomAgain_isDownUntilThereIsSome() {
    try (RealRedis server = RealRedis.start();
        RespConnection admin = server.connect();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      SetUpsTest.use(sheaf);
      admin.call("CONFIG", "SET", "maxclients", "1");
      admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      Await.until(
          "a connection that is refused",
          PATIENCE,
          () -> !admin.text("INFO", "stats").contains("rejected_connections:0\r\n"));
      // The server counts it before the client hears of it.
      Await.until("DOWN", PATIENCE, () -> !sheaf.availability().isAvailable());
      admin.call("CONFIG", "SET", "maxclients", "100");
      Await.until("UP", PATIENCE, () -> sheaf.availability().isAvailable());
      SetUpsTest.use(sheaf);
    }
  }

  /** A read that is answered with too much is cut each time that it is sent. */
  @Test
  void replyAboveTheLimitOfTheOutputBuffer_isGivenUpAndTheClientHeals() {
    try (RealRedis server = RealRedis.start();
        RespConnection admin = server.connect();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri() + "?timeout=60s")) {
      sheaf.sync().set("small", "x");
      sheaf.sync().set("large", "x".repeat(4_000_000));
      admin.call("CONFIG", "SET", "client-output-buffer-limit", "normal 1mb 0 0");
      assertThatThrownBy(() -> sheaf.sync().get("large"))
          .isInstanceOf(ConnectionLostException.class)
          .hasMessageContaining("that has happened 10 times")
          .hasMessageContaining("client-output-buffer-limit");
      assertThat(server.output()).contains("overcoming of output buffer limits");
      Await.until("a connection", PATIENCE, () -> isPresent(sheaf.getAll(List.of("small"))));
      Await.until("UP", PATIENCE, () -> sheaf.availability().isAvailable());
      SetUpsTest.use(sheaf);
      admin.call("CONFIG", "SET", "client-output-buffer-limit", "normal 0 0 0");
      assertThat(sheaf.sync().get("large")).hasSize(4_000_000);
    }
  }

  /** They travel as one MGET, whose whole reply is above the limit, until each travels alone. */
  @Test
  void readsThatTravelWithOneWhoseReplyIsTooLarge_getTheirValues() {
    try (RealRedis server = RealRedis.start();
        RespConnection admin = server.connect();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri() + "?timeout=60s")) {
      sheaf.sync().set("small", "x");
      sheaf.sync().set("large", "x".repeat(4_000_000));
      sheaf.sync().set("other", "y");
      admin.call("CONFIG", "SET", "client-output-buffer-limit", "normal 1mb 0 0");
      admin.call("CONFIG", "RESETSTAT");
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> small = batch.get("small");
        Deferred<String> large = batch.get("large");
        Deferred<String> other = batch.get("other");
        Deferred<Long> count = batch.add(redis -> redis.exists("small"));
        batch.execute();
        assertThatThrownBy(large::get)
            .isInstanceOf(ConnectionLostException.class)
            .hasMessageContaining("that has happened 10 times");
        assertThat(small.get()).isEqualTo("x");
        assertThat(other.get()).isEqualTo("y");
        assertThat(count.get()).isEqualTo(1);
      }
      assertThat(admin.text("INFO", "commandstats")).contains("cmdstat_mget");
    }
  }

  /** Nobody but the nodes can use the addresses; the names are those of the client's resolver. */
  @Test
  void clusterWhoseNodesAreKnownByName_isReachedByTheNames() {
    try (RealRedisCluster cluster =
        RealRedisCluster.builder()
            .replicas(0)
            .config("cluster-preferred-endpoint-type hostname")
            .start()) {
      List<String> names = new ArrayList<>();
      for (RealRedis node : cluster.nodes()) {
        names.add("node-" + names.size() + ".sheaf.test");
        node.command("CONFIG", "SET", "cluster-announce-hostname", names.get(names.size() - 1));
      }
      for (RealRedis node : cluster.nodes()) {
        awaitNodes(node, names);
      }
      Set<String> asked = ConcurrentHashMap.newKeySet();
      ClientResources resources =
          DefaultClientResources.builder()
              .socketAddressResolver(
                  SocketAddressResolver.create(
                      host -> {
                        asked.add(host);
                        return new InetAddress[] {
                          InetAddress.getByName(names.contains(host) ? "127.0.0.1" : "127.0.0.99")
                        };
                      }))
              .build();
      try (Sheaf<String, String> sheaf =
          Sheaf.builder("redis://" + names.get(0) + ":" + cluster.nodes().get(0).port())
              .clientResources(resources)
              .connect()) {
        assertThat(sheaf.isCluster()).isTrue();
        SetUpsTest.use(sheaf);
        // A redirect names the node too.
        moveSlot(cluster, "key:0:0");
        SetUpsTest.use(sheaf);
        assertThat(asked).containsExactlyInAnyOrderElementsOf(names);
      } finally {
        resources.shutdown();
      }
    }
  }

  /** The replicas of the client's own zone have addresses of their own. */
  @Test
  void readFromOfASubnet_readsFromTheReplicasOfItsZone() {
    try (RealRedisCluster cluster =
        RealRedisCluster.builder()
            .primaries(2)
            .replicas(2)
            .withoutFailover()
            .config("bind 127.0.0.1 127.0.1.1 127.0.2.1")
            .start()) {
      List<RealRedis> far = cluster.replicas().subList(0, 2);
      List<RealRedis> near = cluster.replicas().subList(2, 4);
      far.forEach(node -> node.command("CONFIG", "SET", "cluster-announce-ip", "127.0.1.1"));
      near.forEach(node -> node.command("CONFIG", "SET", "cluster-announce-ip", "127.0.2.1"));
      List<String> announced =
          cluster.replicas().stream()
              .map(node -> (near.contains(node) ? "127.0.2.1:" : "127.0.1.1:") + node.port())
              .toList();
      for (RealRedis node : cluster.nodes()) {
        awaitNodes(node, announced);
      }
      try (Sheaf<String, String> sheaf = Sheaf.connect(cluster.uri())) {
        KEYS.forEach(key -> sheaf.sync().set(key, key));
        for (int i = 0; i < near.size(); i++) {
          Object size = cluster.primaries().get(i).command("DBSIZE");
          RealRedis replica = near.get(i);
          Await.until("a replica", PATIENCE, () -> size.equals(replica.command("DBSIZE")));
        }
        sheaf.cluster().setReadFrom(ReadFrom.subnet("127.0.2.0/24"));
        Await.until("reads from near replicas", PATIENCE, () -> isPresent(sheaf.getAll(KEYS)));
        cluster.nodes().forEach(node -> node.command("CONFIG", "RESETSTAT"));
        Map<String, Result<String>> values = sheaf.getAll(KEYS);
        KEYS.forEach(key -> assertThat(values.get(key).orNull()).isEqualTo(key));
        assertThat(near).allSatisfy(node -> assertThat(reads(node)).isPositive());
        // Ten keys of a slot are one MGET.
        assertThat(near.stream().mapToLong(RealSetUpsIT::reads).sum()).isLessThan(KEYS.size() / 2);
        assertThat(far).allSatisfy(node -> assertThat(reads(node)).isZero());
        assertThat(cluster.primaries()).allSatisfy(node -> assertThat(reads(node)).isZero());
      }
    }
  }

  private static void awaitNodes(RealRedis node, List<String> announced) {
    Await.until(
        "what the nodes announce",
        PATIENCE,
        () -> {
          String known = String.valueOf(node.command("CLUSTER", "NODES"));
          return announced.stream().allMatch(known::contains);
        },
        () -> "; it sees:\n" + node.command("CLUSTER", "NODES"));
  }

  /** A slot without keys: what counts is where the client is sent. */
  private static void moveSlot(RealRedisCluster cluster, String key) {
    int number = SlotHash.getSlot(key);
    String slot = Integer.toString(number);
    RealRedis from = cluster.primaries().get(number * 3 / SlotHash.SLOT_COUNT);
    RealRedis to = cluster.primaries().get((number * 3 / SlotHash.SLOT_COUNT + 1) % 3);
    from.command("DEL", key);
    String id = String.valueOf(to.command("CLUSTER", "MYID"));
    String owner = String.valueOf(from.command("CLUSTER", "MYID"));
    to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", owner);
    to.command("CLUSTER", "SETSLOT", slot, "NODE", id);
    from.command("CLUSTER", "SETSLOT", slot, "NODE", id);
  }

  private static boolean isPresent(Map<String, Result<String>> results) {
    return results.values().stream().allMatch(Result::isPresent);
  }

  private static long reads(RealRedis node) {
    try (RespConnection connection = node.connect()) {
      return Pattern.compile("cmdstat_m?get:calls=(\\d+)")
          .matcher(connection.text("INFO", "commandstats"))
          .results()
          .mapToLong(found -> Long.parseLong(found.group(1)))
          .sum();
    }
  }
}
