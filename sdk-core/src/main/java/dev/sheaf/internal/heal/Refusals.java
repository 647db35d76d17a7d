// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import dev.sheaf.availability.HealedConnection.Cause;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;

/**
 * Judges the connection by the error replies on one socket. Confined to the event loop of the
 * socket.
 */
public final class Refusals {

  private final Healer healer;
  private final Socket socket;

  /** Since when all replies have been refusals. */
  private long refusedSince;

  private boolean refused;

  /** Creates a judge that has seen no reply. */
  public Refusals(Healer healer, Socket socket) {
    this.healer = healer;
    this.socket = socket;
  }

  /** Called for a reply that is no error. */
  public void none() {
    refused = false;
  }

  /** Called for an error reply. */
  public void reply(String error, SocketAddress remote) {
    if (error.startsWith("READONLY")) {
      healer.replica(socket, error);
    } else if (error.startsWith("MOVED ")) {
      if (leadsBack(error, remote)) {
        healer.suspect(
            socket, Cause.MOVED_LOOP, "it answers with its own address, " + error, () -> true);
      }
    } else if (error.startsWith("LOADING")
        || error.startsWith("MASTERDOWN")
        || error.startsWith("CLUSTERDOWN")) {
      unready(error);
    } else {
      refused = false;
    }
  }

  private void unready(String error) {
    long now = healer.now();
    if (!refused) {
      refused = true;
      refusedSince = now;
    } else if (now - refusedSince >= healer.refusedForNanos()) {
      healer.suspect(
          socket,
          Cause.REFUSED,
          "it has answered nothing else for "
              + Duration.ofNanos(now - refusedSince).toMillis()
              + " ms: "
              + error,
          () -> refused);
    }
  }

  /** Whether a redirection names the node that sent it. */
  static boolean leadsBack(String moved, SocketAddress remote) {
    String target = moved.substring(moved.lastIndexOf(' ') + 1);
    int colon = target.lastIndexOf(':');
    if (colon < 0 || !(remote instanceof InetSocketAddress from)) {
      return false;
    }
    String host = target.substring(0, colon);
    InetAddress address = from.getAddress();
    // Without a host, it is the same host.
    return target.substring(colon + 1).equals(String.valueOf(from.getPort()))
        && (host.isEmpty()
            || host.equals(from.getHostString())
            || (address != null && host.equals(address.getHostAddress())));
  }
}
