package dev.sheaf.examples.demo;

import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.embedded.proxy.ProxyStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A cluster in this JVM, with the distance of a network before each of its nodes. */
final class EmbeddedTarget implements TargetServer {

  /** How many masters share the documents. */
  static final int MASTERS = 3;

  /** What one instance of a service often has. */
  private static final long NARROW_BITS_PER_SECOND = 1_000_000_000;

  private static final double NANOS_PER_MILLI = 1e6;

  private final EmbeddedServer server;
  private final List<LatencyProxy> proxies = new ArrayList<>();
  private final Duration oneWayDelay;

  private EmbeddedTarget(EmbeddedServer server, Duration oneWayDelay) {
    this.server = server;
    this.oneWayDelay = oneWayDelay;
  }

  /** Starts the cluster on free ports of the loopback address. */
  static EmbeddedTarget start(Duration oneWayDelay) {
    return proxied(
        new EmbeddedTarget(EmbeddedServer.builder().cluster(MASTERS, 0).start(), oneWayDelay),
        LatencyProxy.builder());
  }

  private static EmbeddedTarget proxied(EmbeddedTarget target, LatencyProxy.Builder proxies) {
    try {
      target.startProxies(proxies);
      return target;
    } catch (RuntimeException e) {
      target.close();
      throw e;
    }
  }

  private void startProxies(LatencyProxy.Builder builder) {
    for (EmbeddedNode node : server.nodes()) {
      LatencyProxy proxy =
          builder.target("127.0.0.1", node.port()).oneWayDelay(oneWayDelay).start();
      proxies.add(proxy);
      if (server.isCluster()) {
        server.announce(node, proxy.port());
      }
    }
  }

  @Override
  public String narrowLinkExplained() {
    return "a link of "
        + Figures.count(NARROW_BITS_PER_SECOND / 1_000_000)
        + " Mbit/s to a single embedded server";
  }

  /** A single server: a cluster has a link to each node. */
  @Override
  public TargetServer behindNarrowLink() {
    return proxied(
        new EmbeddedTarget(EmbeddedServer.start(), oneWayDelay),
        LatencyProxy.builder().bandwidthBitsPerSecond(NARROW_BITS_PER_SECOND));
  }

  @Override
  public String uri() {
    return "redis://127.0.0.1:" + proxies.get(0).port();
  }

  @Override
  public String description() {
    return "an embedded cluster of "
        + MASTERS
        + " masters in the same JVM, each behind a proxy that adds "
        + Figures.millis(2 * oneWayDelay.toNanos() / NANOS_PER_MILLI)
        + " to every round trip";
  }

  @Override
  public String keyPrefix() {
    return "";
  }

  @Override
  public String countsExplained() {
    return "Round trips are turns on the wire (a client sends after it had received, or for the "
        + "first time), summed over the nodes; those to different nodes pass at the same time, and those of a "
        + "pipeline overlap. "
        + "Bytes are requests and replies together. Both are counted by the proxies, commands by "
        + "the servers.";
  }

  @Override
  public Counts mark() {
    long roundTrips = 0;
    long bytes = 0;
    for (LatencyProxy proxy : proxies) {
      ProxyStats stats = proxy.stats();
      roundTrips += stats.roundTrips();
      bytes += stats.bytesToServer() + stats.bytesToClient();
    }
    return new Counts(roundTrips, server.stats().commandsProcessed(), bytes);
  }

  @Override
  public Counts since(Counts mark) {
    return mark().minus(mark);
  }

  @Override
  public void close() {
    proxies.forEach(LatencyProxy::close);
    server.close();
  }
}
