package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.chaos.ChaosChecker.Findings;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every result of every call is checked while the six nodes of a cluster are cut off, stopped,
 * killed, failed over and resharded: for some seconds, or for as long as {@code -Dchaos=10m} says.
 * {@code -Dchaos.client=lettuce} asks plain Lettuce the same, and reports.
 */
@Tag("slow")
class ClusterChaosIT {

  private static final int THREADS = 16;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

  /** After a node was stopped for so long, others may still have taken over from it. */
  private static final long LOSS_MILLIS = 20_000;

  private static final Duration ROUND = Duration.ofSeconds(90);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  private static Duration time() {
    String given = System.getProperty("chaos", "20s");
    return Duration.parse("PT" + given);
  }

  @Test
  void nothingIsLostDoubledOrMixedUp() throws Exception {
    boolean plain = System.getProperty("chaos.client", "sheaf").equals("lettuce");
    Findings findings = new Findings();
    Map<String, Integer> faults = new TreeMap<>();
    Random random = new Random(22);
    long end = System.nanoTime() + time().toNanos();
    while (System.nanoTime() - end < 0) {
      round(plain, findings, faults, random, Math.min(end, System.nanoTime() + ROUND.toNanos()));
    }
    System.out.println(
        (plain ? "Lettuce, " : "Sheaf, ")
            + time()
            + ": "
            + findings.summary()
            + "; faults "
            + faults);
    assertThat(findings.calls).hasValueGreaterThan(1_000);
    if (!plain) {
      assertThat(findings.violations).as(findings.summary()).hasValue(0);
    }
  }

  /** A cluster and a client of its own. A cluster that does not recover ends the round early. */
  private static void round(
      boolean plain, Findings findings, Map<String, Integer> faults, Random random, long end)
      throws Exception {
    try (RealRedisCluster cluster = RealRedisCluster.builder().nodeTimeout(NODE_TIMEOUT).start();
        ChaosClient client =
            plain ? ChaosClient.lettuce(cluster.uri(), TIMEOUT) : sheaf(cluster.uri())) {
      ChaosRun run = new ChaosRun(client, findings, THREADS, TIMEOUT);
      run.start();
      boolean well = true;
      while (well && System.nanoTime() - end < 0) {
        try {
          faults.merge(disturb(cluster, random, findings), 1, Integer::sum);
        } catch (AssertionError lastingTrouble) {
          faults.merge("cluster did not recover", 1, Integer::sum);
          well = false;
        }
        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
      }
      run.stop();
      if (well) {
        Await.until(
            "the last comparison",
            Duration.ofSeconds(60),
            () -> {
              run.compare();
              return true;
            });
      }
      findings.serversMayLose(Long.MIN_VALUE);
    }
  }

  private static ChaosClient sheaf(String uri) {
    return ChaosClient.sheaf(
        Sheaf.builder(uri)
            .commandTimeout(TIMEOUT)
            .availability(AvailabilityOptions.defaults())
            .loopDetection(false)
            .connect());
  }

  /** Does one thing to one node, and gives its name. */
  private static String disturb(RealRedisCluster cluster, Random random, Findings findings) {
    RealRedis any = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    int kind = random.nextInt(20);
    if (kind < 8) {
      any.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      return "cut";
    }
    if (kind < 12) {
      any.pause();
      LockSupport.parkNanos(Duration.ofMillis(100 + random.nextInt(700)).toNanos());
      any.resume();
      return "stopped shortly";
    }
    if (kind < 16) {
      reshard(cluster, random);
      return "resharded";
    }
    if (kind < 18) {
      failOver(cluster, random);
      return "failed over";
    }
    findings.serversMayLose(Long.MAX_VALUE);
    if (kind == 18) {
      any.pause();
      LockSupport.parkNanos(NODE_TIMEOUT.multipliedBy(2).toNanos());
      any.resume();
    } else {
      any.kill();
      LockSupport.parkNanos(NODE_TIMEOUT.multipliedBy(2).toNanos());
      any.restart();
    }
    awaitOk(cluster);
    findings.serversMayLose(System.nanoTime() / 1_000_000 + LOSS_MILLIS);
    return kind == 18 ? "stopped for long" : "killed";
  }

  /** The replica asks its primary to stop writing first, so nothing acknowledged is lost. */
  private static void failOver(RealRedisCluster cluster, Random random) {
    List<RealRedis> replicas =
        cluster.nodes().stream().filter(node -> role(node).contains("role:slave")).toList();
    RealRedis replica = replicas.get(random.nextInt(replicas.size()));
    Await.until(
        "the replica to accept the failover",
        Duration.ofSeconds(20),
        () -> {
          replica.command("CLUSTER", "FAILOVER");
          return true;
        });
    long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
    while (!role(replica).contains("role:master") && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    awaitOk(cluster);
  }

  private static void awaitOk(RealRedisCluster cluster) {
    Await.until(
        "every node to see a complete cluster, and every replica its primary",
        Duration.ofSeconds(30),
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

  /** Moves the slot of a thread's counter, with the counter. */
  private static void reshard(RealRedisCluster cluster, Random random) {
    awaitOk(cluster);
    String key = "count:" + random.nextInt(THREADS);
    int slot = SlotHash.getSlot(key);
    List<RealRedis> primaries =
        cluster.nodes().stream().filter(node -> role(node).contains("role:master")).toList();
    RealRedis from = primaries.stream().filter(node -> serves(node, slot)).findFirst().orElse(null);
    RealRedis to = primaries.get(random.nextInt(primaries.size()));
    if (from == null || from == to) {
      return;
    }
    String number = Integer.toString(slot);
    String fromId = text(from, "CLUSTER", "MYID");
    String toId = text(to, "CLUSTER", "MYID");
    to.command("CLUSTER", "SETSLOT", number, "IMPORTING", fromId);
    from.command("CLUSTER", "SETSLOT", number, "MIGRATING", toId);
    // A first attempt may have arrived, and its answer not.
    Await.until(
        "the key to move",
        Duration.ofSeconds(20),
        () -> {
          from.command(
              "MIGRATE", to.host(), Integer.toString(to.port()), key, "0", "5000", "REPLACE");
          return true;
        });
    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    to.command("CLUSTER", "SETSLOT", number, "NODE", toId);
    from.command("CLUSTER", "SETSLOT", number, "NODE", toId);
    primaries.forEach(node -> node.command("CLUSTER", "SETSLOT", number, "NODE", toId));
    awaitOk(cluster);
  }

  private static boolean serves(RealRedis node, int slot) {
    String myself =
        text(node, "CLUSTER", "NODES")
            .lines()
            .filter(line -> line.contains("myself"))
            .findFirst()
            .orElseThrow();
    String[] fields = myself.split(" ");
    for (int i = 8; i < fields.length; i++) {
      if (!fields[i].startsWith("[")) {
        String[] range = fields[i].split("-");
        int last = Integer.parseInt(range[range.length - 1]);
        if (Integer.parseInt(range[0]) <= slot && slot <= last) {
          return true;
        }
      }
    }
    return false;
  }
}
