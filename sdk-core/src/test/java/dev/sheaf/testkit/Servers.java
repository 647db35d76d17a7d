// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.ServerUnderTest.Node;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.opentest4j.TestAbortedException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/**
 * The servers that the tests of one run share. Each is started when first asked for; all are
 * stopped when the run ends.
 */
final class Servers implements AutoCloseable {
  private static final Namespace NAMESPACE = Namespace.create(Servers.class);
  private static final String CONTAINER_IMAGE = "redis:7.0";
  // A busy machine must not change the roles, nor take the slots out of service.
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final int REDIS_PORT = 6379;

  private final Map<ServerKind, Supplier<ServerUnderTest>> servers =
      new EnumMap<>(ServerKind.class);
  private final Deque<Runnable> stops = new ArrayDeque<>();

  /** The servers of the run that the context belongs to. */
  static Servers of(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(Servers.class, key -> new Servers(), Servers.class);
  }

  /** The kinds that tests are to run on: the embedded ones unless told otherwise. */
  static Set<ServerKind> chosen(ExtensionContext context) {
    return ServerKind.parse(
        context.getConfigurationParameter("sheaf.servers").orElse("embedded,embedded-cluster"));
  }

  /**
   * The running server of a kind.
   *
   * @throws TestAbortedException if it cannot run here
   * @throws IllegalStateException if it failed to start, or cannot run here although it is required
   *     to
   */
  synchronized ServerUnderTest get(ServerKind kind, ExtensionContext context) {
    return servers.computeIfAbsent(kind, k -> startOrExplain(k, context)).get();
  }

  @Override
  public synchronized void close() {
    stops.forEach(Runnable::run);
    stops.clear();
  }

  private Supplier<ServerUnderTest> startOrExplain(ServerKind kind, ExtensionContext context) {
    Set<Thread> startedBefore = LeakCheck.suspects();
    try {
      ServerUnderTest server = new ServerUnderTest(kind, start(kind));
      return () -> server;
    } catch (CannotRunHere e) {
      return explain(kind, e.reason, context);
    } catch (RuntimeException | AssertionError e) {
      // Remembered: to fail anew for each of many tests would take minutes.
      return () -> {
        throw new IllegalStateException("server '" + kind + "' did not start", e);
      };
    } finally {
      LeakCheck.exempt(startedBefore);
    }
  }

  private static Supplier<ServerUnderTest> explain(
      ServerKind kind, String reason, ExtensionContext context) {
    String requirement =
        kind == ServerKind.CONTAINER ? "sheaf.requireContainers" : "sheaf.requireServers";
    if (context.getConfigurationParameter(requirement, Boolean::valueOf).orElse(false)) {
      return () -> {
        throw new IllegalStateException(
            "no server '" + kind + "' here, which " + requirement + " asks for: " + reason);
      };
    }
    String message = "SKIPPED the tests on server '" + kind + "': " + reason;
    System.out.println(message);
    return () -> {
      throw new TestAbortedException(message);
    };
  }

  private List<Node> start(ServerKind kind) throws CannotRunHere {
    return switch (kind) {
      case EMBEDDED -> nodes(EmbeddedServer.start());
      case EMBEDDED_CLUSTER -> nodes(EmbeddedServer.builder().cluster(3, 1).start());
      case REAL -> startReal();
      case REAL_CLUSTER -> startRealCluster();
      case CONTAINER -> startContainer();
    };
  }

  private List<Node> nodes(EmbeddedServer server) {
    stops.push(server::close);
    return server.nodes().stream().map(node -> new Node(RealRedis.HOST, node.port())).toList();
  }

  private List<Node> startReal() throws CannotRunHere {
    requireExecutable();
    RealRedis server = RealRedis.start();
    stops.push(server::stop);
    return List.of(node(server));
  }

  private List<Node> startRealCluster() throws CannotRunHere {
    requireExecutable();
    RealRedisCluster cluster =
        RealRedisCluster.builder().nodeTimeout(PATIENT).withoutFailover().start();
    stops.push(cluster::stop);
    return cluster.nodes().stream().map(Servers::node).toList();
  }

  private static void requireExecutable() throws CannotRunHere {
    if (RealRedis.executable().isEmpty()) {
      throw new CannotRunHere("no redis-server on the PATH");
    }
  }

  private static Node node(RealRedis server) {
    return new Node(server.host(), server.port());
  }

  private List<Node> startContainer() throws CannotRunHere {
    if (!ContainerEngine.answers()) {
      throw new CannotRunHere("no container engine answers at " + ContainerEngine.address());
    }
    GenericContainer<?> container =
        new GenericContainer<>(CONTAINER_IMAGE)
            .withExposedPorts(REDIS_PORT)
            .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
    stops.push(container::stop);
    try {
      container.start();
    } catch (RuntimeException e) {
      throw new CannotRunHere(CONTAINER_IMAGE + " does not start: " + innermost(e));
    }
    return List.of(new Node(container.getHost(), container.getMappedPort(REDIS_PORT)));
  }

  private static Throwable innermost(Throwable e) {
    Throwable cause = e.getCause();
    return cause == null ? e : innermost(cause);
  }

  private static final class CannotRunHere extends Exception {
    final String reason;

    CannotRunHere(String reason) {
      super(reason);
      this.reason = reason;
    }
  }
}
