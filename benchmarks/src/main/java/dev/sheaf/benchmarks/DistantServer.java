package dev.sheaf.benchmarks;

import dev.sheaf.embedded.LatencyProxy;
import java.time.Duration;
import redis.clients.jedis.HostAndPort;

/** A server seen from a distance: the round trip of two machines in neighbouring data centres. */
final class DistantServer implements AutoCloseable {

  static final Duration ROUND_TRIP = Duration.ofNanos(1_200_000);

  private final LatencyProxy proxy;

  private DistantServer(LatencyProxy proxy) {
    this.proxy = proxy;
  }

  static DistantServer before(HostAndPort server) {
    return new DistantServer(
        LatencyProxy.builder()
            .target(server.getHost(), server.getPort())
            .oneWayDelay(ROUND_TRIP.dividedBy(2))
            .start());
  }

  String uri() {
    return "redis://127.0.0.1:" + proxy.port();
  }

  @Override
  public void close() {
    proxy.close();
  }
}
