package dev.sheaf.spring;

import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * The embedded server as the Redis of an application. It is known by name only: the starter must
 * not bring a server and an interpreter for Lua to applications that run against Redis.
 */
final class EmbeddedRedis implements DataRedisConnectionDetails, AutoCloseable {

  static final String SERVER_CLASS = "dev.sheaf.embedded.EmbeddedServer";

  private static final Log LOG = LogFactory.getLog(EmbeddedRedis.class);

  private final AutoCloseable server;
  private final List<Node> nodes;
  private final boolean cluster;

  private EmbeddedRedis(AutoCloseable server, List<Node> nodes, boolean cluster) {
    this.server = server;
    this.nodes = nodes;
    this.cluster = cluster;
  }

  /**
   * Starts a server.
   *
   * @param port 0 for a free one; of a cluster the first
   * @param masters 0 for a single server
   */
  static EmbeddedRedis start(int port, int masters) {
    try {
      Class<?> type = Class.forName(SERVER_CLASS);
      Object builder = type.getMethod("builder").invoke(null);
      builder.getClass().getMethod("port", int.class).invoke(builder, port);
      if (masters > 0) {
        builder.getClass().getMethod("cluster", int.class, int.class).invoke(builder, masters, 0);
      }
      Object server = builder.getClass().getMethod("start").invoke(builder);
      List<String> uris = urisOf(server);
      LOG.info(
          "No Redis is configured, so the embedded server was started on "
              + String.join(",", uris)
              + "; its data ends with the application");
      return new EmbeddedRedis(
          (AutoCloseable) server, uris.stream().map(EmbeddedRedis::node).toList(), masters > 0);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(
          "The embedded server did not start: " + e.getTargetException().getMessage(),
          e.getTargetException());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "The embedded server on the class path is of a version that this starter does not know",
          e);
    }
  }

  private static List<String> urisOf(Object server) throws ReflectiveOperationException {
    List<String> uris = new ArrayList<>();
    for (Object node : (List<?>) server.getClass().getMethod("nodes").invoke(server)) {
      uris.add((String) node.getClass().getMethod("uri").invoke(node));
    }
    return uris;
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
    try {
      server.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("The embedded server did not stop: " + e.getMessage(), e);
    }
  }
}
