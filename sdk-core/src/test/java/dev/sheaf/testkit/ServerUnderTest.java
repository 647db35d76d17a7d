// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A running server, empty when the test begins; see {@link ForEachServer}. Other tests share it: a
 * test that pauses, kills, reconfigures or fails over a server starts its own.
 *
 * <p>Administration goes over short-lived connections beside the client under test. Thread-safe.
 */
public final class ServerUnderTest {
  private static final Pattern COMMAND_CALLS =
      Pattern.compile("^cmdstat_([^:]+):calls=(\\d+)", Pattern.MULTILINE);
  private static final String REPLICATION_TIMEOUT_MILLIS = "5000";

  /** Valkey says which Redis it is like, too, before its own version. */
  private static final Pattern VERSION =
      Pattern.compile("(?s)(?:redis_version:\\S+.*(valkey)_version|redis_version):(\\d+\\.\\d+)");

  private final ServerKind kind;
  private final List<Node> nodes;

  ServerUnderTest(ServerKind kind, List<Node> nodes) {
    this.kind = kind;
    this.nodes = List.copyOf(nodes);
  }

  public ServerKind kind() {
    return kind;
  }

  public boolean isCluster() {
    return kind.isCluster();
  }

  /** Whose server it is, and which one: {@code Valkey 8.1}. */
  public String release() {
    if (kind.isEmbedded()) {
      return "the embedded server";
    }
    Matcher version = VERSION.matcher(on(nodes.get(0), node -> node.text("INFO", "server")));
    if (!version.find()) {
      throw new IllegalStateException("INFO names no version");
    }
    return (version.group(1) == null ? "Redis " : "Valkey ") + version.group(2);
  }

  /** A URI for any Redis client; of a cluster, that of its first node. */
  public String uri() {
    Node first = nodes.get(0);
    return "redis://" + first.host() + ":" + first.port();
  }

  /** All nodes; a standalone server is one. */
  public List<Node> nodes() {
    return nodes;
  }

  /** The nodes that say they are primaries now. */
  public List<Node> primaries() {
    return nodes.stream().filter(node -> on(node, ServerUnderTest::isPrimary)).toList();
  }

  /** Runs a command on the first node. See {@link RespConnection#call}. */
  public @Nullable Object command(String... command) {
    return command(nodes.get(0), command);
  }

  /** Runs a command on one node. See {@link RespConnection#call}. */
  public @Nullable Object command(Node node, String... command) {
    try (RespConnection connection = node.connect()) {
      return connection.call(command);
    }
  }

  /** Removes all data and scripts from all nodes, and resets their statistics. */
  public void flush() {
    for (Node node : nodes) {
      try (RespConnection connection = node.connect()) {
        if (isPrimary(connection)) {
          flushPrimary(connection);
        }
        connection.call("SCRIPT", "FLUSH");
      }
    }
    // Last, and after the flushes have reached the replicas: those count in the statistics.
    for (Node node : nodes) {
      command(node, "CONFIG", "RESETSTAT");
    }
  }

  /**
   * How often each command ran on the primaries since {@link #flush}, by its lower-case name; a
   * subcommand is {@code config|get}. Commands that scripts call count too.
   */
  public Map<String, Long> commandCalls() {
    Map<String, Long> calls = new TreeMap<>();
    for (Node node : primaries()) {
      commandCalls(node).forEach((command, count) -> calls.merge(command, count, Long::sum));
    }
    return calls;
  }

  /** How often each command ran on one node since {@link #flush}. */
  public Map<String, Long> commandCalls(Node node) {
    String info = on(node, connection -> connection.text("INFO", "commandstats"));
    Map<String, Long> calls = new TreeMap<>();
    Matcher matcher = COMMAND_CALLS.matcher(info);
    while (matcher.find()) {
      calls.put(matcher.group(1), Long.valueOf(matcher.group(2)));
    }
    return calls;
  }

  @Override
  public String toString() {
    return kind + " at " + uri();
  }

  private static boolean isPrimary(RespConnection connection) {
    return "master".equals(connection.list("ROLE").get(0));
  }

  private static void flushPrimary(RespConnection connection) {
    connection.call("FLUSHALL");
    int replicas = ((List<?>) connection.list("ROLE").get(2)).size();
    if (replicas > 0) {
      // Else a test that reads from replicas could see the keys of the test before.
      connection.call("WAIT", Integer.toString(replicas), REPLICATION_TIMEOUT_MILLIS);
    }
  }

  private static <T> T on(Node node, Function<RespConnection, T> action) {
    try (RespConnection connection = node.connect()) {
      return action.apply(connection);
    }
  }

  /** A node's address as this machine reaches it. */
  public record Node(String host, int port) {
    /** Opens a connection for administration; the caller closes it. */
    public RespConnection connect() {
      return RespConnection.open(host, port);
    }
  }
}
