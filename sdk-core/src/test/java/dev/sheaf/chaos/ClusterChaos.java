// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import static java.util.regex.Pattern.MULTILINE;

import dev.sheaf.chaos.ChaosChecker.Findings;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Threads that use a client while the six nodes of a cluster are cut off, stopped, killed, failed
 * over and resharded. Each result of each call is checked. Not thread-safe.
 */
public final class ClusterChaos {

  /** The threads that use the client at once. */
  public static final int THREADS = Integer.getInteger("chaos.threads", 16);

  /** The command time-out that clients are asked to keep. */
  public static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

  /** After a node was stopped for so long, others may still have taken over from it. */
  private static final long LOSS_MILLIS = 20_000;

  private static final long BUSY_MILLIS = 60;

  /** By the processor's time: Redis' own stands still in a script from 7.2 on. */
  private static final String BUSY =
      "local e = os.clock() + " + BUSY_MILLIS / 1e3 + " repeat until os.clock() > e";

  /** A busy machine is given more time for so many calls, up to the patience below. */
  static final int LEAST_CALLS = 1_000;

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration SHORTEST_ROUND = Duration.ofSeconds(90);
  private static final int ROUNDS = 6;
  private static final Duration HEAP_EVERY = Duration.ofSeconds(10);

  private final Function<String, ChaosClient> connect;
  private final int bulkThreads;
  private final Random random;
  private final Findings findings = new Findings();
  private final Map<String, Integer> faults = new TreeMap<>();
  private final List<Leftovers> leftovers = new ArrayList<>();
  private String server = "";

  /**
   * Connects clients by their servers' URI.
   *
   * @param bulkThreads how many threads call for many keys at once, beside the others; clients have
   *     to be {@link BulkClient}s for that
   * @param seed of the faults
   */
  public ClusterChaos(Function<String, ChaosClient> connect, int bulkThreads, long seed) {
    this.connect = connect;
    this.bulkThreads = bulkThreads;
    this.random = new Random(seed);
  }

  /**
   * Runs for a time, and on until there were enough calls, in rounds of at least 90 seconds with a
   * cluster and a client of their own.
   */
  public Findings run(Duration time) throws Exception {
    long round = Math.max(SHORTEST_ROUND.toNanos(), time.toNanos() / ROUNDS);
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      round(Math.min(end, System.nanoTime() + round));
      leftovers.add(Leftovers.now());
    }
    return findings;
  }

  /** What was done to the servers, and how often. */
  public Map<String, Integer> faults() {
    return faults;
  }

  /** What was left of each round after its client was closed. */
  List<Leftovers> leftovers() {
    return leftovers;
  }

  /** The servers' name and version. */
  String server() {
    return server;
  }

  /** A cluster and a client of its own. A cluster that does not recover ends the round early. */
  private void round(long end) throws Exception {
    try (RealRedisCluster cluster = RealRedisCluster.builder().nodeTimeout(NODE_TIMEOUT).start()) {
      server = nameAndVersion(cluster.nodes().get(0));
      long heapBefore = Leftovers.heap();
      try (ChaosClient client = connect.apply(cluster.uri())) {
        ChaosRun run = new ChaosRun(findings, TIMEOUT).startSingle(client, THREADS);
        if (bulkThreads > 0) {
          run.startBulk((BulkClient) client, bulkThreads);
        }
        boolean well;
        try {
          well = disturbUntil(end, cluster, heapBefore);
        } finally {
          run.stop();
        }
        if (well) {
          compare(run);
        }
        findings.serversMayLose(Long.MIN_VALUE);
      }
      findings.excuse(cluster.lostWrites()::mayHaveLost);
      keepLogs(cluster);
    }
  }

  /** Keeps what the servers have logged, if there is an error to explain. */
  private void keepLogs(RealRedisCluster cluster) throws IOException {
    if (findings.violations.get() > 0) {
      Path folder = Files.createDirectories(Path.of("target", "chaos-logs"));
      for (RealRedis node : cluster.nodes()) {
        Files.writeString(folder.resolve(node.port() + ".log"), node.output());
      }
      System.out.println("The servers' logs are in " + folder.toAbsolutePath());
    }
  }

  /** Whether the cluster has recovered from each fault. */
  private boolean disturbUntil(long end, RealRedisCluster cluster, long heapBefore) {
    long heapAt = System.nanoTime();
    while (System.nanoTime() - end < 0
        || (findings.calls() <= LEAST_CALLS && System.nanoTime() - end < PATIENCE.toNanos())) {
      try {
        faults.merge(disturb(cluster), 1, Integer::sum);
      } catch (AssertionError lastingTrouble) {
        faults.merge("cluster did not recover", 1, Integer::sum);
        return false;
      }
      if (System.nanoTime() - heapAt > HEAP_EVERY.toNanos()) {
        heapAt = System.nanoTime();
        findings.heapBytes.accumulateAndGet(Leftovers.heap() - heapBefore, Math::max);
      }
      LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
    }
    return true;
  }

  private static String nameAndVersion(RealRedis node) {
    String info = Objects.toString(node.command("INFO", "server"));
    // Valkey has both, the other one for the sake of old clients.
    for (String name : new String[] {"valkey", "redis"}) {
      Matcher version = Pattern.compile("^" + name + "_version:(\\S+)", MULTILINE).matcher(info);
      if (version.find()) {
        return name + " " + version.group(1);
      }
    }
    return "unknown";
  }

  private void compare(ChaosRun run) {
    try {
      for (Caller caller : run.callers()) {
        Await.until(
            "the last comparison",
            Duration.ofSeconds(60),
            () -> {
              caller.compare();
              return true;
            });
      }
    } catch (AssertionError noAnswer) {
      findings.violated("stuck", "no answer from servers that are well, " + noAnswer);
    }
  }

  /** Does one thing to one node, and gives its name. */
  private String disturb(RealRedisCluster cluster) {
    RealRedis any = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    int kind = random.nextInt(21);
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
      cluster.moveSlot(SlotHash.getSlot(anyKey()), random, target -> {});
      return "resharded";
    }
    if (kind < 18) {
      cluster.failOver(random);
      return "failed over";
    }
    if (kind == 20) {
      joinAndLeave(cluster);
      return "joined and left";
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
    cluster.awaitOk();
    findings.serversMayLose(ChaosRun.now() + LOSS_MILLIS);
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

  /** A primary joins, has a slot for a moment, and leaves. */
  private void joinAndLeave(RealRedisCluster cluster) {
    RealRedis joined = cluster.join();
    try {
      int slot = SlotHash.getSlot(anyKey());
      RealRedis home = cluster.primaryOf(slot);
      cluster.moveSlot(slot, home, joined, target -> {});
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      cluster.moveSlot(slot, joined, home, target -> {});
    } finally {
      cluster.leave(joined);
    }
  }

  /** A counter, or what stands for all keys of a thread that has them in one slot. */
  private String anyKey() {
    int drawn = random.nextInt(THREADS + bulkThreads);
    return drawn < THREADS ? SingleCaller.counter(drawn) : BulkCaller.prefix(drawn - THREADS);
  }
}
