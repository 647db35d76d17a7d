package dev.sheaf.spring;

import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * The embedded server as the Redis of an application. It is known by name only: the starter must
 * not bring a server and an interpreter for Lua to applications that run against Redis.
 */
final class EmbeddedRedis implements DataRedisConnectionDetails, AutoCloseable {

  static final String SERVER_CLASS = "dev.sheaf.embedded.EmbeddedServer";

  private static final String PROXY_CLASS = "dev.sheaf.embedded.proxy.LatencyProxy";
  private static final String LOOPBACK = "127.0.0.1";

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  /** What was started, to be closed from the last to the first. */
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
   * @param port 0 for a free one; of a cluster the first
   * @param masters 0 for a single server
   * @param latency that each round trip takes longer
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
    } catch (InvocationTargetException e) {
      closeAfterFailure(started, e);
      throw new IllegalStateException(
          "The embedded server did not start: " + e.getTargetException().getMessage(),
          e.getTargetException());
    } catch (ReflectiveOperationException e) {
      closeAfterFailure(started, e);
      throw new IllegalStateException(
          "The embedded server on the class path is of a version that this starter does not know",
          e);
    }
  }

  private static void closeAfterFailure(List<AutoCloseable> started, Exception failure) {
    try {
      closeAll(started);
    } catch (IllegalStateException e) {
      failure.addSuppressed(e);
    }
  }

  private static Object server(List<AutoCloseable> started, int port, int masters)
      throws ReflectiveOperationException {
    Object builder = Class.forName(SERVER_CLASS).getMethod("builder").invoke(null);
    builder.getClass().getMethod("port", int.class).invoke(builder, port);
    if (masters > 0) {
      builder.getClass().getMethod("cluster", int.class, int.class).invoke(builder, masters, 0);
    }
    Object server = call(builder, "start");
    started.add((AutoCloseable) server);
    return server;
  }

  private static Object call(Object target, String method) throws ReflectiveOperationException {
    return Objects.requireNonNull(target.getClass().getMethod(method).invoke(target), method);
  }

  private static List<Node> nodesOf(Object server) throws ReflectiveOperationException {
    List<Node> nodes = new ArrayList<>();
    for (Object node : (List<?>) call(server, "nodes")) {
      nodes.add(node((String) call(node, "uri")));
    }
    return nodes;
  }

  /** A proxy before each node, on the ports that the nodes would have had. */
  private static List<Node> proxies(
      Object server, List<AutoCloseable> started, int firstPort, Duration latency)
      throws ReflectiveOperationException {
    boolean cluster = (boolean) call(server, "isCluster");
    List<Node> proxies = new ArrayList<>();
    for (Object node : (List<?>) call(server, "nodes")) {
      int port =
          proxy(
              started,
              (int) call(node, "port"),
              firstPort == 0 ? 0 : firstPort + proxies.size(),
              latency.dividedBy(2));
      proxies.add(new Node(LOOPBACK, port));
      if (cluster) {
        server
            .getClass()
            .getMethod("announce", node.getClass(), int.class)
            .invoke(server, node, port);
      }
    }
    return proxies;
  }

  private static int proxy(
      List<AutoCloseable> started, int target, int listenPort, Duration oneWayDelay)
      throws ReflectiveOperationException {
    Object builder = Class.forName(PROXY_CLASS).getMethod("builder").invoke(null);
    Class<?> type = builder.getClass();
    type.getMethod("target", String.class, int.class).invoke(builder, LOOPBACK, target);
    type.getMethod("listenPort", int.class).invoke(builder, listenPort);
    type.getMethod("oneWayDelay", Duration.class).invoke(builder, oneWayDelay);
    Object proxy = call(builder, "start");
    started.add((AutoCloseable) proxy);
    return (int) call(proxy, "port");
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
