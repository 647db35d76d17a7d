package dev.sheaf.chaos;

import dev.sheaf.chaos.ChaosChecker.Findings;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Threads that use a client while the six nodes of a cluster are cut off, stopped, killed, failed
 * over and resharded. Each result of each call is checked. Not thread-safe.
 */
public final class ClusterChaos {

  /** The threads that use the client at once. */
  public static final int THREADS = 16;

  /** The command time-out that clients are asked to keep. */
  public static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

  /** After a node was stopped for so long, others may still have taken over from it. */
  private static final long LOSS_MILLIS = 20_000;

  private static final long BUSY_MILLIS = 60;

  private static final String BUSY =
      "local t = redis.call('TIME') local e = t[1] * 1000 + t[2] / 1000 + "
          + BUSY_MILLIS
          + " repeat t = redis.call('TIME') until t[1] * 1000 + t[2] / 1000 > e";

  private static final Duration ROUND = Duration.ofSeconds(90);
  private static final Duration HEAP_EVERY = Duration.ofSeconds(10);

  private final Function<String, ChaosClient> connect;
  private final Random random = new Random(22);
  private final Findings findings = new Findings();
  private final Map<String, Integer> faults = new TreeMap<>();

  /** Connects clients by their servers' URI. */
  public ClusterChaos(Function<String, ChaosClient> connect) {
    this.connect = connect;
  }

  /** Runs for a time, every 90 seconds with another cluster and another client. */
  public Findings run(Duration time) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      round(Math.min(end, System.nanoTime() + ROUND.toNanos()));
    }
    return findings;
  }

  /** What was done to the servers, and how often. */
  public Map<String, Integer> faults() {
    return faults;
  }

  /** A cluster and a client of its own. A cluster that does not recover ends the round early. */
  private void round(long end) throws Exception {
    try (RealRedisCluster cluster = RealRedisCluster.builder().nodeTimeout(NODE_TIMEOUT).start()) {
      long heapBefore = heap();
      try (ChaosClient client = connect.apply(cluster.uri())) {
        ChaosRun run = new ChaosRun(client, findings, THREADS, TIMEOUT);
        run.start();
        boolean well = true;
        long heapAt = System.nanoTime();
        while (well && System.nanoTime() - end < 0) {
          try {
            faults.merge(disturb(cluster), 1, Integer::sum);
          } catch (AssertionError lastingTrouble) {
            faults.merge("cluster did not recover", 1, Integer::sum);
            well = false;
          }
          if (System.nanoTime() - heapAt > HEAP_EVERY.toNanos()) {
            heapAt = System.nanoTime();
            findings.heapBytes.accumulateAndGet(heap() - heapBefore, Math::max);
          }
          LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
        }
        run.stop();
        if (well) {
          compare(run);
        }
        findings.serversMayLose(Long.MIN_VALUE);
      }
    }
  }

  private void compare(ChaosRun run) {
    try {
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        Await.until(
            "the last comparison",
            Duration.ofSeconds(60),
            () -> {
              run.compare(thread);
              return true;
            });
      }
    } catch (AssertionError noAnswer) {
      findings.violated("stuck", "no answer from servers that are well, " + noAnswer);
    }
  }

  private static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Does one thing to one node, and gives its name. */
  private String disturb(RealRedisCluster cluster) {
    RealRedis any = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    int kind = random.nextInt(20);
    if (kind < 8) {
      cut(any);
      return "cut";
    }
    if (kind < 12) {
      any.pause();
      LockSupport.parkNanos(Duration.ofMillis(100 + random.nextInt(700)).toNanos());
      any.resume();
      return "stopped shortly";
    }
    if (kind < 16) {
      reshard(cluster);
      return "resharded";
    }
    if (kind < 18) {
      failOver(cluster);
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

  /**
   * Closes all connections to a node right after commands ran and before their replies left: these
   * arrive while a script keeps the node busy, and so does what closes the connections.
   */
  private static void cut(RealRedis node) {
    try (RespConnection script = node.connect();
        RespConnection killer = node.connect()) {
      Thread busy = new Thread(() -> runUntilClosed(script));
      busy.start();
      LockSupport.parkNanos(BUSY_MILLIS / 2 * 1_000_000);
      killer.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }
  }

  private static void runUntilClosed(RespConnection script) {
    try {
      script.call("EVAL", BUSY, "0");
    } catch (RuntimeException closedAsWell) {
      // As it has to be.
    }
  }

  /** The replica asks its primary to stop writing first, so nothing acknowledged is lost. */
  private void failOver(RealRedisCluster cluster) {
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
  private void reshard(RealRedisCluster cluster) {
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
