package dev.sheaf.examples;

import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server an example runs on: the one that {@code -Dredis=URI} names, or one that lives in this
 * JVM as long as the example.
 */
final class ExampleServer implements AutoCloseable {

  private final String uri;
  private final @Nullable EmbeddedServer embedded;
  private final List<LatencyProxy> proxies;

  private ExampleServer(String uri, @Nullable EmbeddedServer embedded, List<LatencyProxy> proxies) {
    this.uri = uri;
    this.embedded = embedded;
    this.proxies = proxies;
  }

  /** The given server, or an embedded one. */
  static ExampleServer start() {
    String given = System.getProperty("redis", "");
    if (!given.isEmpty()) {
      return new ExampleServer(given, null, List.of());
    }
    EmbeddedServer server = EmbeddedServer.start();
    return new ExampleServer(server.uri(), server, List.of());
  }

  /** The given cluster, or an embedded one of three masters at a distance. */
  static ExampleServer startCluster(Duration roundTrip) {
    String given = System.getProperty("redis", "");
    if (!given.isEmpty()) {
      return new ExampleServer(given, null, List.of());
    }
    EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
    List<LatencyProxy> proxies = new ArrayList<>();
    for (EmbeddedNode node : server.nodes()) {
      LatencyProxy proxy =
          LatencyProxy.builder()
              .target("127.0.0.1", node.port())
              .oneWayDelay(roundTrip.dividedBy(2))
              .start();
      server.announce(node, proxy.port());
      proxies.add(proxy);
    }
    return new ExampleServer("redis://127.0.0.1:" + proxies.get(0).port(), server, proxies);
  }

  String uri() {
    return uri;
  }

  /**
   * Ends the embedded server as a crash would. A given server is left alone.
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
