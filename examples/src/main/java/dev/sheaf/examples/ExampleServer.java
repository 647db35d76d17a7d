// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The server of an example: the one that {@code -Dredis=URI} names, or an embedded one. */
public final class ExampleServer implements AutoCloseable {

  private static final Pattern INFO =
      Pattern.compile("total_(?:(commands)_processed|net_(?:in|out)put_bytes):(\\d+)");

  private final String uri;
  private final @Nullable EmbeddedServer embedded;
  private final List<LatencyProxy> proxies;

  private ExampleServer(String uri, @Nullable EmbeddedServer embedded, List<LatencyProxy> proxies) {
    this.uri = uri;
    this.embedded = embedded;
    this.proxies = proxies;
  }

  /** Returns the given server, or an embedded one. */
  static ExampleServer start() {
    String given = System.getProperty("redis", "");
    if (!given.isEmpty()) {
      return given(given);
    }
    EmbeddedServer server = EmbeddedServer.start();
    return new ExampleServer(server.uri(), server, List.of());
  }

  /** Returns the given cluster, or an embedded one of three masters with network latency. */
  static ExampleServer startCluster(Duration roundTrip) {
    String given = System.getProperty("redis", "");
    return given.isEmpty()
        ? behindProxies(
            EmbeddedServer.builder().cluster(3, 0).start(),
            LatencyProxy.builder().oneWayDelay(roundTrip.dividedBy(2)))
        : given(given);
  }

  /** A server or cluster of the user's. */
  public static ExampleServer given(String uri) {
    return new ExampleServer(uri, null, List.of());
  }

  /**
   * An embedded server with a proxy before each node that adds latency and perhaps limits
   * bandwidth.
   */
  public static ExampleServer behindProxies(EmbeddedServer server, LatencyProxy.Builder proxy) {
    List<LatencyProxy> proxies = new ArrayList<>();
    for (EmbeddedNode node : server.nodes()) {
      LatencyProxy started = proxy.target("127.0.0.1", node.port()).start();
      proxies.add(started);
      if (server.isCluster()) {
        node.announcePort(started.port());
      }
    }
    return new ExampleServer("redis://127.0.0.1:" + proxies.get(0).port(), server, proxies);
  }

  public String uri() {
    return uri;
  }

  /**
   * Returns counters of round trips, commands and bytes so far, by these names. Proxies count round
   * trips, summed over the nodes, and bytes, requests and replies together. A given server counts
   * commands and bytes, including those of other clients; or nothing, if this user may not send
   * INFO.
   *
   * @param observer a client of this server
   */
  public Supplier<Map<String, Long>> counts(Sheaf<String, String> observer) {
    EmbeddedServer server = embedded;
    return server == null ? () -> info(observer) : () -> counted(server);
  }

  private Map<String, Long> counted(EmbeddedServer server) {
    Map<String, Long> counts = new HashMap<>();
    counts.put("commands", server.stats().commandsProcessed());
    for (var stats : proxies.stream().map(LatencyProxy::stats).toList()) {
      counts.merge("roundTrips", stats.roundTrips(), Long::sum);
      counts.merge("bytes", stats.bytesToServer() + stats.bytesToClient(), Long::sum);
    }
    return counts;
  }

  private static Map<String, Long> info(Sheaf<String, String> observer) {
    Map<String, Long> counts = new HashMap<>();
    try {
      for (String stats : masters(observer)) {
        Matcher field = INFO.matcher(stats);
        while (field.find()) {
          String name = field.group(1) == null ? "bytes" : "commands";
          counts.merge(name, Long.valueOf(field.group(2)), Long::sum);
        }
      }
      return counts;
    } catch (RedisException refused) {
      return Map.of();
    }
  }

  private static List<String> masters(Sheaf<String, String> observer) {
    if (!observer.isCluster()) {
      return List.of(observer.standalone().sync().info("stats"));
    }
    return observer.cluster().getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.getSlots().isEmpty())
        .map(node -> observer.cluster().getConnection(node.getNodeId()).sync().info("stats"))
        .toList();
  }

  /**
   * Stops the embedded server like a crash. A given server is not touched.
   *
   * @return whether there is an outage now
   */
  boolean crash() {
    if (embedded == null) {
      System.out.println("an outage is shown on the embedded server only");
      return false;
    }
    embedded.nodes().get(0).kill();
    return true;
  }

  @Override
  public void close() {
    proxies.forEach(LatencyProxy::close);
    if (embedded != null) {
      embedded.close();
    }
  }
}
