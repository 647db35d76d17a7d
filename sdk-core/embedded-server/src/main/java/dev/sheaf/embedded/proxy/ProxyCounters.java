// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The counters of a proxy. They only grow: a reset stores a base to subtract, and loses no
 * concurrent update.
 */
final class ProxyCounters {

  final AtomicLong connections = new AtomicLong();
  final AtomicLong bytesToServer = new AtomicLong();
  final AtomicLong bytesToClient = new AtomicLong();
  final AtomicLong roundTrips = new AtomicLong();
  final AtomicLong bytesInFlight = new AtomicLong();
  private ProxyStats base = new ProxyStats(0, 0, 0, 0, 0);

  synchronized ProxyStats snapshot() {
    ProxyStats now = sinceStart();
    return new ProxyStats(
        now.connections() - base.connections(),
        now.bytesToServer() - base.bytesToServer(),
        now.bytesToClient() - base.bytesToClient(),
        now.roundTrips() - base.roundTrips(),
        now.bytesInFlight());
  }

  synchronized void reset() {
    base = sinceStart();
  }

  private ProxyStats sinceStart() {
    return new ProxyStats(
        connections.get(),
        bytesToServer.get(),
        bytesToClient.get(),
        roundTrips.get(),
        bytesInFlight.get());
  }
}
