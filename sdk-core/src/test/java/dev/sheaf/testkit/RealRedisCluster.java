// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A Redis Cluster of redis-server processes on loopback, made with plain CLUSTER commands. Not
 * thread-safe.
 *
 * <p>Nodes are listed in the roles they were started in: first the primaries, which share the slots
 * evenly in their order, then the replicas; replica {@code i} follows primary {@code i %
 * primaries}.
 */
public final class RealRedisCluster implements AutoCloseable {
  private static final Duration FORM_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration MOVE_TIMEOUT = Duration.ofSeconds(20);

  /** Beyond the five seconds after which a replica gives up. */
  private static final Duration TAKEOVER_TIMEOUT = Duration.ofSeconds(6);

  // How often nodes tell each other what they know depends on it; a longer one forms slower.
  private static final Duration FORM_NODE_TIMEOUT = Duration.ofMillis(500);

  private static final String NODE_TIMEOUT = "cluster-node-timeout";

  private final Builder options;
  private final List<RealRedis> nodes;
  private final List<Integer> busPorts;
  private final int primaries;
  private final SlotOwners owners;

  private RealRedisCluster(Builder options, List<RealRedis> nodes, List<Integer> busPorts) {
    this.options = options;
    this.nodes = List.copyOf(nodes);
    this.busPorts = List.copyOf(busPorts);
    this.primaries = options.primaries;
    this.owners = new SlotOwners(primaries);
  }

  /** Starts three primaries with a replica each. */
  public static RealRedisCluster start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** All nodes, the primaries first. */
  public List<RealRedis> nodes() {
    return nodes;
  }

  /** The nodes started as primaries. */
  public List<RealRedis> primaries() {
    return nodes.subList(0, primaries);
  }

  /** The nodes started as replicas. */
  public List<RealRedis> replicas() {
    return nodes.subList(primaries, nodes.size());
  }

  /** The first node as a URI; a cluster client finds the others through it. */
  public String uri() {
    return nodes.get(0).uri();
  }

  /**
   * Waits until every node finds the cluster complete: all slots served, every node known, and
   * every replica in step with its primary.
   *
   * @throws AssertionError if that takes more than thirty seconds
   */
  public void awaitOk() {
    for (RealRedis node : nodes) {
      awaitNode(node, "a complete cluster", () -> isOk(node));
    }
  }

  /** The nodes that are primaries now. */
  public List<RealRedis> currentPrimaries() {
    return nodes.stream().filter(RealRedisCluster::isPrimary).toList();
  }

  /**
   * Has a replica take over. It asks its primary to stop writing first, so nothing acknowledged is
   * lost. On a busy machine it may give up; the servers allow it five seconds.
   *
   * @return whether it took over
   * @throws AssertionError if the cluster is not complete afterwards
   */
  public boolean failOver(Random random) {
    List<RealRedis> replicas = nodes.stream().filter(node -> !isPrimary(node)).toList();
    RealRedis replica = replicas.get(random.nextInt(replicas.size()));
    // A replica that is just being sent its primary's data refuses with LOADING.
    Await.until(
        "the replica to accept the failover",
        MOVE_TIMEOUT,
        () -> {
          replica.command("CLUSTER", "FAILOVER");
          return true;
        });
    long end = System.nanoTime() + TAKEOVER_TIMEOUT.toNanos();
    while (!isPrimary(replica) && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    awaitOk();
    return isPrimary(replica);
  }

  /**
   * Has another primary join, without slots and beside {@link #nodes}. {@link #leave} ends it.
   *
   * @throws AssertionError if the nodes do not meet
   */
  public RealRedis join() {
    awaitOk();
    RealRedis joined = options.startNode(RealRedis.freePort());
    try {
      joined.command("CONFIG", "SET", NODE_TIMEOUT, Long.toString(options.nodeTimeout.toMillis()));
      for (int i = 0; i < nodes.size(); i++) {
        String port = Integer.toString(nodes.get(i).port());
        joined.command("CLUSTER", "MEET", RealRedis.HOST, port, Integer.toString(busPorts.get(i)));
      }
      Stream.concat(nodes.stream(), Stream.of(joined))
          .forEach(node -> awaitNode(node, "the new node", () -> knowsAll(node, nodes.size() + 1)));
      return joined;
    } catch (RuntimeException | AssertionError e) {
      joined.stop();
      throw e;
    }
  }

  /**
   * Has a node of {@link #join} leave, which has no slots any more, and ends it.
   *
   * @throws AssertionError if the cluster is not complete afterwards
   */
  public void leave(RealRedis joined) {
    String id = text(joined, "CLUSTER", "MYID");
    joined.stop();
    nodes.forEach(node -> node.command("CLUSTER", "FORGET", id));
    awaitOk();
  }

  /** The node that serves a slot now. */
  public RealRedis primaryOf(int slot) {
    return currentPrimaries().stream().filter(node -> serves(node, slot)).findFirst().orElseThrow();
  }

  /**
   * Moves a slot with its keys to another primary, or leaves it where it is, as drawn.
   *
   * @param beforeKeys is given the node that imports the slot, before the keys arrive there
   * @throws AssertionError if the cluster is not complete afterwards
   */
  public void moveSlot(int slot, Random random, Consumer<RealRedis> beforeKeys) {
    awaitOk();
    List<RealRedis> now = currentPrimaries();
    RealRedis from = primaryOf(slot);
    RealRedis to = now.get(random.nextInt(now.size()));
    if (from != to) {
      moveSlot(slot, from, to, beforeKeys);
    }
  }

  /**
   * Moves a slot with its keys, as redis-cli does: in between, its clients meet ASK.
   *
   * @param beforeKeys is given the node that imports the slot, before the keys arrive there
   * @throws AssertionError if the cluster is not complete afterwards
   */
  public void moveSlot(int slot, RealRedis from, RealRedis to, Consumer<RealRedis> beforeKeys) {
    String number = Integer.toString(slot);
    String fromId = text(from, "CLUSTER", "MYID");
    String toId = text(to, "CLUSTER", "MYID");
    owners.moves(slot, shardOf(to), System.currentTimeMillis());
    to.command("CLUSTER", "SETSLOT", number, "IMPORTING", fromId);
    from.command("CLUSTER", "SETSLOT", number, "MIGRATING", toId);
    beforeKeys.accept(to);
    // A node that was just promoted may not yet take part, and an answer may be lost.
    Await.until("the keys to move", MOVE_TIMEOUT, () -> migrateKeys(from, to, number));
    LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    to.command("CLUSTER", "SETSLOT", number, "NODE", toId);
    from.command("CLUSTER", "SETSLOT", number, "NODE", toId);
    currentPrimaries().forEach(node -> node.command("CLUSTER", "SETSLOT", number, "NODE", toId));
    awaitOk();
    owners.left(slot, shardOf(from), System.currentTimeMillis());
  }

  /** What the servers say in their logs up to now. */
  public LostWrites lostWrites() {
    Map<Integer, List<String>> logs = new HashMap<>();
    nodes.forEach(
        node -> logs.computeIfAbsent(shardOf(node), shard -> new ArrayList<>()).add(node.output()));
    return new LostWrites(logs, owners);
  }

  /**
   * The number of the primary that the node was, or followed, in the beginning; -1 if it joined.
   */
  private int shardOf(RealRedis node) {
    int number = nodes.indexOf(node);
    return number < primaries ? number : (number - primaries) % primaries;
  }

  /** Moves the keys of a slot that are there now. */
  private static boolean migrateKeys(RealRedis from, RealRedis to, String slot) {
    try (RespConnection connection = from.connect()) {
      List<?> keys = connection.list("CLUSTER", "GETKEYSINSLOT", slot, "1000");
      if (keys.isEmpty()) {
        return true;
      }
      Stream<String> migrate =
          Stream.of("MIGRATE", to.host(), String.valueOf(to.port()), "", "0", "5000", "REPLACE");
      connection.call(
          Stream.of(migrate, Stream.of("KEYS"), keys.stream().map(Object::toString))
              .flatMap(words -> words)
              .toArray(String[]::new));
      return false;
    }
  }

  private static boolean serves(RealRedis node, int slot) {
    String myself =
        text(node, "CLUSTER", "NODES")
            .lines()
            .filter(line -> line.contains("myself"))
            .findFirst()
            .orElseThrow();
    // Behind eight fields the ranges of slots, and in brackets those that are on the move.
    return Stream.of(myself.split(" "))
        .skip(8)
        .filter(range -> !range.startsWith("["))
        .map(range -> range.split("-"))
        .anyMatch(
            range ->
                Integer.parseInt(range[0]) <= slot
                    && slot <= Integer.parseInt(range[range.length - 1]));
  }

  private static boolean isPrimary(RealRedis node) {
    return text(node, "INFO", "replication").contains("role:master");
  }

  private static String text(RealRedis node, String... command) {
    return Objects.toString(node.command(command));
  }

  /** Ends all nodes and removes their files. A second call does nothing. */
  public void stop() {
    nodes.forEach(RealRedis::stop);
  }

  /** As {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  private void form() {
    for (int i = 0; i < nodes.size(); i++) {
      RealRedis node = nodes.get(i);
      node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
      if (i < primaries) {
        node.command("CLUSTER", "ADDSLOTSRANGE", firstSlot(i), lastSlot(i));
      }
      // Each with each: left to gossip, the nodes would take seconds to find each other.
      for (int j = 0; j < i; j++) {
        String port = Integer.toString(nodes.get(j).port());
        String busPort = Integer.toString(busPorts.get(j));
        node.command("CLUSTER", "MEET", RealRedis.HOST, port, busPort);
      }
    }
    for (RealRedis node : nodes) {
      awaitNode(node, "all nodes to meet", () -> knowsAll(node, nodes.size()));
    }
    for (int i = primaries; i < nodes.size(); i++) {
      RealRedis primary = nodes.get((i - primaries) % primaries);
      String id = Objects.toString(primary.command("CLUSTER", "MYID"));
      nodes.get(i).command("CLUSTER", "REPLICATE", id);
    }
    awaitOk();
  }

  private void configure(String name, String value) {
    nodes.forEach(node -> node.command("CONFIG", "SET", name, value));
  }

  private String firstSlot(int primary) {
    return Integer.toString(SlotOwners.firstSlot(primary, primaries));
  }

  private String lastSlot(int primary) {
    return Integer.toString(SlotOwners.lastSlot(primary, primaries));
  }

  private static boolean knowsAll(RealRedis node, int count) {
    String known = text(node, "CLUSTER", "NODES");
    return known.lines().count() == count && !known.contains("handshake");
  }

  private boolean isOk(RealRedis node) {
    try (RespConnection connection = node.connect()) {
      Set<Object> listed = new HashSet<>();
      for (Object range : connection.list("CLUSTER", "SLOTS")) {
        // Behind the first and the last slot, the nodes: address, port, name.
        ((List<?>) range)
            .stream().skip(2).map(each -> ((List<?>) each).get(2)).forEach(listed::add);
      }
      String replication = connection.text("INFO", "replication");
      return listed.size() >= nodes.size()
          && connection.text("CLUSTER", "INFO").contains("cluster_state:ok")
          && (replication.contains("role:master") || replication.contains("master_link_status:up"));
    }
  }

  private void awaitNode(RealRedis node, String what, Callable<Boolean> met) {
    Await.until(
        "node " + node.port() + " to see " + what,
        FORM_TIMEOUT,
        met,
        () -> node.isAlive() ? "; it sees:\n" + node.command("CLUSTER", "NODES") : "; it is dead");
  }

  /** What a cluster is started with. Not thread-safe. */
  public static final class Builder {
    private final List<String> config = new ArrayList<>();
    private int primaries = 3;
    private int replicas = 1;
    private Duration nodeTimeout = Duration.ofSeconds(2);
    private boolean failover = true;

    private Builder() {}

    /** The number of primaries; 3 by default. */
    public Builder primaries(int primaries) {
      this.primaries = primaries;
      return this;
    }

    /** The replicas of each primary; 1 by default. */
    public Builder replicas(int replicas) {
      this.replicas = replicas;
      return this;
    }

    /**
     * How long a node may be silent before the others hold it for dead and a replica takes over; 2
     * s by default.
     */
    public Builder nodeTimeout(Duration nodeTimeout) {
      this.nodeTimeout = nodeTimeout;
      return this;
    }

    /** Keeps the nodes in their roles, however long one is silent. */
    public Builder withoutFailover() {
      this.failover = false;
      return this;
    }

    /** Adds lines as they would stand in each node's redis.conf. */
    public Builder config(String... lines) {
      config.addAll(List.of(lines));
      return this;
    }

    /**
     * Starts the nodes, joins them and waits until each finds the cluster complete.
     *
     * @throws IllegalStateException if there is no redis-server or a node ends while starting
     * @throws AssertionError if the cluster is not complete within thirty seconds
     */
    public RealRedisCluster start() {
      List<RealRedis> nodes = new ArrayList<>();
      List<Integer> busPorts = new ArrayList<>();
      try {
        for (int i = 0; i < primaries * (1 + replicas); i++) {
          int busPort = RealRedis.freePort();
          busPorts.add(busPort);
          nodes.add(startNode(busPort));
        }
        RealRedisCluster cluster = new RealRedisCluster(this, nodes, busPorts);
        cluster.form();
        cluster.configure(NODE_TIMEOUT, Long.toString(nodeTimeout.toMillis()));
        cluster.configure("cluster-replica-no-failover", failover ? "no" : "yes");
        return cluster;
      } catch (RuntimeException | AssertionError e) {
        nodes.forEach(RealRedis::stop);
        throw e;
      }
    }

    private RealRedis startNode(int busPort) {
      return RealRedis.builder()
          .config(
              "cluster-enabled yes",
              "cluster-port " + busPort,
              "cluster-announce-ip " + RealRedis.HOST,
              NODE_TIMEOUT + " " + FORM_NODE_TIMEOUT.toMillis(),
              "cluster-allow-replica-migration no",
              "cluster-replica-no-failover yes",
              // By default replicas wait 5 s for their first synchronisation, and then up to 10 s
              // for a first offset, without which CLUSTER SLOTS does not list them.
              "repl-diskless-sync-delay 0",
              "repl-ping-replica-period 1")
          .config(config.toArray(String[]::new))
          .start();
    }
  }
}
