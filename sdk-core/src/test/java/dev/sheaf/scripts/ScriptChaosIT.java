package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link ScriptChaosTest}, on redis-server processes. */
@Tag("slow")
@Timeout(200)
class ScriptChaosIT {

  private static final Duration TIME = Duration.ofSeconds(25);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void oneServer_flushesAndReconnects() throws Exception {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).commandTimeout(Duration.ofSeconds(10)).connect()) {
      ScriptChaos chaos = new ScriptChaos(sheaf);
      chaos.run(
          Duration.ofSeconds(5),
          step -> {
            if (step % 5 == 4) {
              server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            } else {
              server.command("SCRIPT", "FLUSH");
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
          });
      chaos.check();
    }
  }

  @Test
  void cluster_flushesFailoversReshardingReconnects() throws Exception {
    try (RealRedisCluster cluster =
            RealRedisCluster.builder().nodeTimeout(Duration.ofSeconds(30)).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(cluster.uri())
                .clientOptions(ScriptChaos.refreshing())
                .commandTimeout(Duration.ofSeconds(10))
                .connect()) {
      ScriptChaos chaos = new ScriptChaos(sheaf);
      Random random = new Random(42);
      AtomicInteger failovers = new AtomicInteger();
      chaos.run(
          TIME,
          step -> {
            if (disturb(cluster, random, step % 8)) {
              failovers.incrementAndGet();
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
          });
      awaitOk(cluster);
      chaos.check(cluster.nodes().stream().anyMatch(ScriptChaosIT::tookOverWithoutTheLastWrites));
      assertThat(failovers).hasPositiveValue();
    }
  }

  /**
   * What a server says to its former primary, which was ahead of it. Replication is asynchronous,
   * and on a busy machine a failover that waits for the replica may give up waiting.
   */
  private static boolean tookOverWithoutTheLastWrites(RealRedis node) {
    return node.output().contains("not accepted: Requested offset for second ID was");
  }

  /** Whether a replica took over. */
  private static boolean disturb(RealRedisCluster cluster, Random random, int kind) {
    RealRedis any = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    switch (kind) {
      case 0, 1, 2, 3, 4 -> any.command("SCRIPT", "FLUSH");
      case 5 -> reshard(cluster, random);
      case 6 -> any.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      default -> {
        return failOver(cluster, random);
      }
    }
    return false;
  }

  /**
   * The replica asks its primary to stop writing first, so nothing acknowledged is lost. On a busy
   * machine it may give up; the servers allow it five seconds.
   */
  private static boolean failOver(RealRedisCluster cluster, Random random) {
    List<RealRedis> replicas =
        cluster.nodes().stream().filter(node -> role(node).contains("role:slave")).toList();
    RealRedis replica = replicas.get(random.nextInt(replicas.size()));
    // A replica that is just being sent its primary's data refuses with LOADING.
    Await.until(
        "the replica to accept the failover",
        Duration.ofSeconds(20),
        () -> {
          replica.command("CLUSTER", "FAILOVER");
          return true;
        });
    long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
    boolean tookOver = false;
    while (!tookOver && System.nanoTime() - end < 0) {
      tookOver = role(replica).contains("role:master");
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    awaitOk(cluster);
    return tookOver;
  }

  private static void awaitOk(RealRedisCluster cluster) {
    Await.until(
        "every node to see a complete cluster, and every replica its primary",
        Duration.ofSeconds(20),
        () ->
            cluster.nodes().stream()
                .allMatch(
                    node ->
                        text(node, "CLUSTER", "INFO").contains("cluster_state:ok")
                            && (role(node).contains("role:master")
                                || role(node).contains("master_link_status:up"))));
  }

  private static String role(RealRedis node) {
    return text(node, "INFO", "replication");
  }

  private static String text(RealRedis node, String... command) {
    return Objects.toString(node.command(command));
  }

  /** Moves the slot of a thread's key, with the key. */
  private static void reshard(RealRedisCluster cluster, Random random) {
    String key = "counts:" + random.nextInt(ScriptChaos.THREADS);
    String slot = Integer.toString(SlotHash.getSlot(key));
    List<RealRedis> masters =
        cluster.nodes().stream().filter(node -> role(node).contains("role:master")).toList();
    RealRedis from =
        masters.stream().filter(node -> serves(node, Integer.parseInt(slot))).findFirst().get();
    RealRedis to = masters.get(random.nextInt(masters.size()));
    if (from == to) {
      return;
    }
    String fromId = Objects.toString(from.command("CLUSTER", "MYID"));
    String toId = Objects.toString(to.command("CLUSTER", "MYID"));
    to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", fromId);
    from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", toId);
    to.command("SCRIPT", "FLUSH");
    // A node that was just promoted may not yet take part.
    Await.until(
        "the key to move",
        Duration.ofSeconds(20),
        () -> {
          from.command("MIGRATE", to.host(), Integer.toString(to.port()), key, "0", "5000");
          return true;
        });
    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    to.command("CLUSTER", "SETSLOT", slot, "NODE", toId);
    from.command("CLUSTER", "SETSLOT", slot, "NODE", toId);
    for (RealRedis master : masters) {
      master.command("CLUSTER", "SETSLOT", slot, "NODE", toId);
    }
  }

  private static boolean serves(RealRedis node, int slot) {
    String myself =
        Objects.toString(node.command("CLUSTER", "NODES"))
            .lines()
            .filter(line -> line.contains("myself"))
            .findFirst()
            .orElseThrow();
    String[] fields = myself.split(" ");
    for (int i = 8; i < fields.length; i++) {
      if (fields[i].startsWith("[")) {
        continue;
      }
      String[] range = fields[i].split("-");
      int first = Integer.parseInt(range[0]);
      int last = Integer.parseInt(range[range.length - 1]);
      if (first <= slot && slot <= last) {
        return true;
      }
    }
    return false;
  }
}
