package dev.sheaf.benchmarks.servers;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/**
 * The servers behind one {@link ServerKind}, with the data set loaded: started here, or, if the
 * system property of the kind names one, already running. Not thread-safe.
 */
public final class Servers implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;
  private static final Duration CLUSTER_TIMEOUT = Duration.ofSeconds(30);

  private final String uri;
  private final List<RedisProcess> started;

  private Servers(String uri, List<RedisProcess> started) {
    this.uri = uri;
    this.started = started;
  }

  /**
   * Finds or starts servers, and loads the data set unless it is there.
   *
   * @throws ComparisonException if there is no server, or one of another kind; the message says
   *     what to change
   */
  public static Servers open(ServerKind kind) {
    String given = System.getProperty(kind.property());
    if (given != null) {
      return new Servers(checked(kind, given), List.of());
    }
    List<RedisProcess> started =
        kind == ServerKind.CLUSTER ? startCluster() : List.of(RedisProcess.start(false));
    String uri = "redis://" + started.get(0).address();
    try {
      Dataset.load(kind, uri);
    } catch (RuntimeException e) {
      started.forEach(RedisProcess::close);
      throw e;
    }
    return new Servers(uri, started);
  }

  private static String checked(ServerKind kind, String uri) {
    HostAndPort address = address(uri);
    boolean cluster;
    try (Jedis jedis = new Jedis(address)) {
      cluster = jedis.info("cluster").contains("cluster_enabled:1");
    } catch (RuntimeException e) {
      throw new ComparisonException(
          "No answer from " + uri + ", named by -D" + kind.property() + ": " + e.getMessage(), e);
    }
    if (cluster != (kind == ServerKind.CLUSTER)) {
      throw new ComparisonException(
          "-D"
              + kind.property()
              + " names "
              + uri
              + (cluster ? ", which is a cluster" : ", which is not a cluster")
              + "; swap redis.uri and redis.cluster.uri");
    }
    Dataset.load(kind, uri);
    return uri;
  }

  /**
   * The address in a URI of the form {@code redis://host:port}.
   *
   * @throws ComparisonException if it is of another form
   */
  public static HostAndPort address(String uri) {
    try {
      URI parsed = URI.create(uri);
      if ("redis".equals(parsed.getScheme())
          && parsed.getHost() != null
          && parsed.getPort() > 0
          && parsed.getUserInfo() == null) {
        return new HostAndPort(parsed.getHost(), parsed.getPort());
      }
    } catch (IllegalArgumentException e) {
      // The message below says it.
    }
    throw new ComparisonException(
        "A server is named as redis://host:port, without a password, but was " + uri);
  }

  private static List<RedisProcess> startCluster() {
    List<RedisProcess> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < MASTERS; i++) {
        nodes.add(RedisProcess.start(true));
      }
      for (int i = 0; i < MASTERS; i++) {
        join(nodes, i);
      }
      for (RedisProcess node : nodes) {
        awaitAgreement(node);
      }
      return nodes;
    } catch (RuntimeException e) {
      nodes.forEach(RedisProcess::close);
      throw e;
    }
  }

  private static void join(List<RedisProcess> nodes, int index) {
    RedisProcess first = nodes.get(0);
    try (Jedis jedis = nodes.get(index).connect()) {
      jedis.clusterSetConfigEpoch(index + 1L);
      jedis.clusterAddSlotsRange(SLOTS * index / MASTERS, SLOTS * (index + 1) / MASTERS - 1);
      if (index > 0) {
        jedis.sendCommand(
            Protocol.Command.CLUSTER,
            "MEET",
            "127.0.0.1",
            Integer.toString(first.port()),
            Integer.toString(first.busPort()));
      }
    }
  }

  private static void awaitAgreement(RedisProcess node) {
    long deadline = System.nanoTime() + CLUSTER_TIMEOUT.toNanos();
    String seen = "";
    while (System.nanoTime() - deadline < 0) {
      try (Jedis jedis = node.connect()) {
        seen = jedis.clusterInfo();
        if (seen.contains("cluster_state:ok")
            && seen.contains("cluster_known_nodes:" + MASTERS + "\r\n")
            && seen.contains("cluster_slots_ok:" + SLOTS)) {
          return;
        }
        TimeUnit.MILLISECONDS.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw new ComparisonException("The cluster did not form; its state is:\n" + seen);
  }

  /** Where clients connect. */
  public String uri() {
    return uri;
  }

  /** The processes started here; empty for servers that ran before. */
  List<RedisProcess> started() {
    return started;
  }

  /** Stops what was started here. */
  @Override
  public void close() {
    started.forEach(RedisProcess::close);
  }
}
