// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.EmbeddedServerBuilder;
import dev.sheaf.embedded.proxy.LatencyProxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * Runs the embedded server as the Redis of an application. Loaded only if the server is on the
 * class path; the starter does not depend on it at run time.
 */
final class EmbeddedRedis implements DataRedisConnectionDetails, AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  /** What was started, closed in reverse order. */
  private final List<AutoCloseable> started;

  private final List<Node> nodes;
  private final boolean cluster;

  private EmbeddedRedis(List<AutoCloseable> started, List<Node> nodes, boolean cluster) {
    this.started = started;
    this.nodes = nodes;
    this.cluster = cluster;
  }

  /**
   * Starts a server.
   *
   * @param port 0 for a free one; for a cluster, the port of the first node
   * @param masters 0 for a standalone server
   * @param latency added to each round trip
   * @throws IllegalStateException if it does not start
   */
  static EmbeddedRedis start(int port, int masters, Duration latency) {
    List<AutoCloseable> started = new ArrayList<>();
    try {
      List<Node> nodes =
          latency.isZero()
              ? nodesOf(server(started, port, masters))
              : proxies(server(started, 0, masters), started, port, latency);
      LOG.info(
          "No Redis is configured, so the embedded server was started on "
              + nodes.stream().map(EmbeddedRedis::uri).collect(Collectors.joining(","))
              + (latency.isZero()
                  ? ""
                  : ", with " + latency.toNanos() / 1e6 + " ms for each round trip")
              + "; its data ends with the application");
      return new EmbeddedRedis(started, nodes, masters > 0);
    } catch (RuntimeException e) {
      closeAfterFailure(started, e);
      throw new IllegalStateException("The embedded server did not start: " + e.getMessage(), e);
    }
  }

  private static void closeAfterFailure(List<AutoCloseable> started, Exception failure) {
    try {
      closeAll(started);
    } catch (IllegalStateException e) {
      failure.addSuppressed(e);
    }
  }

  private static EmbeddedServer server(List<AutoCloseable> started, int port, int masters) {
    EmbeddedServerBuilder builder = EmbeddedServer.builder().port(port);
    if (masters > 0) {
      builder.cluster(masters, 0);
    }
    EmbeddedServer server = builder.start();
    started.add(server);
    return server;
  }

  private static List<Node> nodesOf(EmbeddedServer server) {
    return server.nodes().stream().map(node -> node(node.uri())).toList();
  }

  /** Starts a proxy before each node, on the port that the node would have had. */
  private static List<Node> proxies(
      EmbeddedServer server, List<AutoCloseable> started, int firstPort, Duration latency) {
    List<Node> proxies = new ArrayList<>();
    for (EmbeddedNode node : server.nodes()) {
      LatencyProxy proxy =
          LatencyProxy.builder()
              .target(LOOPBACK, node.port())
              .listenPort(firstPort == 0 ? 0 : firstPort + proxies.size())
              .oneWayDelay(latency.dividedBy(2))
              .start();
      started.add(proxy);
      proxies.add(new Node(LOOPBACK, proxy.port()));
      if (server.isCluster()) {
        node.announcePort(proxy.port());
      }
    }
    return proxies;
  }

  private static String uri(Node node) {
    return "redis://" + node.host() + ":" + node.port();
  }

  private static Node node(String uri) {
    URI parsed = URI.create(uri);
    return new Node(parsed.getHost(), parsed.getPort());
  }

  @Override
  public @Nullable Standalone getStandalone() {
    Node node = nodes.get(0);
    return cluster ? null : Standalone.of(node.host(), node.port());
  }

  @Override
  public @Nullable Cluster getCluster() {
    return cluster ? () -> nodes : null;
  }

  @Override
  public void close() {
    closeAll(started);
  }

  private static void closeAll(List<AutoCloseable> started) {
    IllegalStateException failure = null;
    for (int i = started.size() - 1; i >= 0; i--) {
      try {
        started.get(i).close();
      } catch (Exception e) {
        failure =
            new IllegalStateException("The embedded server did not stop: " + e.getMessage(), e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
