// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * The servers of one {@link ServerKind}, with the data set loaded: started here, or already running
 * if the system property of the kind names one. Not thread-safe.
 */
public final class Servers implements AutoCloseable {

  /** The server's own default. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(15);

  private final String uri;
  private final Runnable closing;

  private Servers(String uri, Runnable closing) {
    this.uri = uri;
    this.closing = closing;
  }

  /**
   * Finds or starts servers, and loads the data set unless it is there.
   *
   * @throws ComparisonException if there is no server, or one of another kind; the message says
   *     what to change
   */
  public static Servers open(ServerKind kind) {
    String given = System.getProperty(kind.property());
    Servers servers = given == null ? start(kind) : new Servers(checked(kind, given), () -> {});
    try {
      Dataset.load(kind, servers.uri);
      return servers;
    } catch (RuntimeException e) {
      servers.close();
      throw e;
    }
  }

  private static Servers start(ServerKind kind) {
    if (RealRedis.executable().isEmpty()) {
      throw new ComparisonException(
          "redis-server is not on the PATH; install Redis 7 or newer, or name servers that run with"
              + " -Dredis.uri=redis://host:port and -Dredis.cluster.uri=redis://host:port");
    }
    if (kind == ServerKind.STANDALONE) {
      RealRedis server = RealRedis.start();
      return new Servers(server.uri(), server::close);
    }
    RealRedisCluster cluster =
        RealRedisCluster.builder().primaries(3).replicas(0).nodeTimeout(NODE_TIMEOUT).start();
    return new Servers(cluster.uri(), cluster::close);
  }

  private static String checked(ServerKind kind, String uri) {
    HostAndPort address = address(uri);
    boolean cluster;
    try (Jedis jedis = new Jedis(address)) {
      cluster = isCluster(jedis);
    } catch (RuntimeException e) {
      throw new ComparisonException(
          "No answer from " + uri + ", named by -D" + kind.property() + ": " + e.getMessage(), e);
    }
    if (cluster != (kind == ServerKind.CLUSTER)) {
      throw new ComparisonException(
          "-D%s names %s, which is %s cluster; swap redis.uri and redis.cluster.uri"
              .formatted(kind.property(), uri, cluster ? "a" : "not a"));
    }
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

  /** Returns the masters of the cluster that a server belongs to, or the server alone. */
  public static List<HostAndPort> masters(String uri) {
    HostAndPort seed = address(uri);
    try (Jedis jedis = new Jedis(seed)) {
      return isCluster(jedis) ? parseMasters(jedis.clusterNodes()) : List.of(seed);
    }
  }

  private static boolean isCluster(Jedis jedis) {
    return jedis.info("cluster").contains("cluster_enabled:1");
  }

  /** Parses the masters in the reply of CLUSTER NODES. */
  static List<HostAndPort> parseMasters(String nodes) {
    return nodes
        .lines()
        .map(line -> line.split(" "))
        .filter(fields -> fields[2].contains("master"))
        .map(fields -> HostAndPort.from(fields[1].split("[@,]", 2)[0]))
        .toList();
  }

  /** Returns the address for clients. */
  public String uri() {
    return uri;
  }

  /** Stops what was started here. */
  @Override
  public void close() {
    closing.run();
  }
}
