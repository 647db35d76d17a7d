package dev.sheaf.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * A Redis Cluster of redis-server processes on loopback, made with plain CLUSTER commands. Not
 * thread-safe.
 *
 * <p>Nodes are listed in the roles they were started in: first the primaries, which share the slots
 * evenly in their order, then the replicas; replica {@code i} follows primary {@code i %
 * primaries}.
 */
public final class RealRedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;
  private static final Duration FORM_TIMEOUT = Duration.ofSeconds(30);

  // How often nodes tell each other what they know depends on it; a longer one forms slower.
  private static final Duration FORM_NODE_TIMEOUT = Duration.ofMillis(500);

  private final List<RealRedis> nodes;
  private final int primaries;

  private RealRedisCluster(List<RealRedis> nodes, int primaries) {
    this.nodes = List.copyOf(nodes);
    this.primaries = primaries;
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

  /** Ends all nodes and removes their files. A second call does nothing. */
  public void stop() {
    nodes.forEach(RealRedis::stop);
  }

  /** As {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  private void form(List<Integer> busPorts) {
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
      awaitNode(node, "all nodes to meet", () -> knowsAll(node));
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
    return Integer.toString(primary * SLOTS / primaries);
  }

  private String lastSlot(int primary) {
    return Integer.toString((primary + 1) * SLOTS / primaries - 1);
  }

  private boolean knowsAll(RealRedis node) {
    String known = Objects.toString(node.command("CLUSTER", "NODES"));
    return known.lines().count() == nodes.size() && !known.contains("handshake");
  }

  private boolean isOk(RealRedis node) {
    try (RespConnection connection = node.connect()) {
      long listed = 0;
      for (Object range : connection.list("CLUSTER", "SLOTS")) {
        listed += ((List<?>) range).size() - 2; // without the first and the last slot
      }
      String replication = connection.text("INFO", "replication");
      return listed == nodes.size()
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
        RealRedisCluster cluster = new RealRedisCluster(nodes, primaries);
        cluster.form(busPorts);
        cluster.configure("cluster-node-timeout", Long.toString(nodeTimeout.toMillis()));
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
              "cluster-node-timeout " + FORM_NODE_TIMEOUT.toMillis(),
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
