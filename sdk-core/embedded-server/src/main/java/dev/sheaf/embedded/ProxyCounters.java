package dev.sheaf.embedded;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What passed through a proxy. Counters only grow, so a reset is a new base to subtract and loses
 * no update that runs beside it.
 */
final class ProxyCounters {

  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong bytesToServer = new AtomicLong();
  private final AtomicLong bytesToClient = new AtomicLong();
  private final AtomicLong roundTrips = new AtomicLong();
  private final AtomicLong bytesInFlight = new AtomicLong();
  private LatencyProxy.Stats base = new LatencyProxy.Stats(0, 0, 0, 0, 0);

  void connectionAccepted() {
    connections.incrementAndGet();
  }

  void roundTripStarted() {
    roundTrips.incrementAndGet();
  }

  void deliveredToServer(long bytes) {
    bytesToServer.addAndGet(bytes);
  }

  void deliveredToClient(long bytes) {
    bytesToClient.addAndGet(bytes);
  }

  void inFlight(long change) {
    bytesInFlight.addAndGet(change);
  }

  synchronized LatencyProxy.Stats snapshot() {
    LatencyProxy.Stats now = sinceStart();
    return new LatencyProxy.Stats(
        now.connections() - base.connections(),
        now.bytesToServer() - base.bytesToServer(),
        now.bytesToClient() - base.bytesToClient(),
        now.roundTrips() - base.roundTrips(),
        now.bytesInFlight());
  }

  synchronized void reset() {
    base = sinceStart();
  }

  private LatencyProxy.Stats sinceStart() {
    return new LatencyProxy.Stats(
        connections.get(),
        bytesToServer.get(),
        bytesToClient.get(),
        roundTrips.get(),
        bytesInFlight.get());
  }
}
