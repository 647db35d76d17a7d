// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings the two ends of a connection within this JVM together, by the ports of its socket. Which
 * comes first is a matter of luck: the client's end says that it is connected, the server's that it
 * is accepted. Confined to the server's event loop, but for what says otherwise.
 */
final class Shortcuts {
  final EventLoop loop;
  final Lingering lingering;
  private final Set<InetSocketAddress> listening = ConcurrentHashMap.newKeySet();
  private final Map<Long, Shortcut.Server> accepted = new HashMap<>();
  private final Map<Long, Shortcut> waiting = new HashMap<>();

  Shortcuts(EventLoop loop, Lingering lingering) {
    this.loop = loop;
    this.lingering = lingering;
  }

  static long ports(int server, int client) {
    return (long) server << 32 | client;
  }

  /** The server listens there. From any thread. */
  void opened(InetSocketAddress address) {
    listening.add(address);
  }

  /** The address belongs to another process from now on. From any thread. */
  void closed(InetSocketAddress address) {
    listening.remove(address);
  }

  /** Whether the address is one of the server's. From any thread. */
  boolean serves(InetSocketAddress address) {
    return listening.contains(address);
  }

  /** The ports of a socket; negative where it has none. */
  static long portsOf(Channel channel) {
    return channel.localAddress() instanceof InetSocketAddress server
            && channel.remoteAddress() instanceof InetSocketAddress client
        ? ports(server.getPort(), client.getPort())
        : -1;
  }

  void accepted(long ends, Shortcut.Server connection) {
    if (ends >= 0) {
      accepted.put(ends, connection);
      Shortcut shortcut = waiting.remove(ends);
      if (shortcut != null) {
        connection.shortcut(shortcut);
      }
    }
  }

  /** The socket has ended. */
  void ended(long ends, Shortcut.Server connection) {
    accepted.remove(ends, connection);
  }

  void join(long ends, Shortcut shortcut) {
    Shortcut.Server connection = accepted.get(ends);
    if (connection == null) {
      waiting.put(ends, shortcut);
    } else {
      connection.shortcut(shortcut);
    }
  }

  void leave(long ends, Shortcut shortcut) {
    waiting.remove(ends, shortcut);
    shortcut.connected(null);
  }

  Collection<Shortcut.Server> connections() {
    return accepted.values();
  }
}
