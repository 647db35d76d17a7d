package dev.sheaf.benchmarks;

import dev.sheaf.embedded.proxy.LatencyProxy;
import java.time.Duration;
import redis.clients.jedis.HostAndPort;

/** A server seen from a distance. */
final class DistantServer implements AutoCloseable {

  private static final long NANOS_PER_MICRO = 1_000;

  private final LatencyProxy proxy;

  private DistantServer(LatencyProxy proxy) {
    this.proxy = proxy;
  }

  static DistantServer before(HostAndPort server, int roundTripMicros) {
    return new DistantServer(
        LatencyProxy.builder()
            .target(server.getHost(), server.getPort())
            .oneWayDelay(Duration.ofNanos(roundTripMicros * NANOS_PER_MICRO / 2))
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
