// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.net.Listener;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;

/**
 * Lets Netty clients in the JVM of an {@link EmbeddedServer} skip the kernel: they connect to its
 * ports as always, and then hand their bytes over in memory. The socket stays, silent, so that
 * connecting, addresses, kills and faults are what they are. Safe for use by many threads.
 *
 * <p>For Lettuce see {@link dev.sheaf.embedded.lettuce.InProcessResources}.
 */
public final class InProcess {
  private final Listener listener;

  InProcess(Listener listener) {
    this.listener = listener;
  }

  /**
   * Makes a client's connection skip the kernel if it turns out to lead to this server and runs on
   * its {@link #eventLoops}; any other stays as it is.
   *
   * @param channel of a client, not connected yet, with all handlers in its pipeline; none of them
   *     may encrypt
   */
  public void attach(Channel channel) {
    listener.shortcut(channel);
  }

  /**
   * The one event loop of the server, for the client to run on as well: then no other thread takes
   * part in a request. What the client does on its event loop, callbacks included, holds up the
   * server, and a script holds up the client. It ends with the server; the client must not shut it
   * down, and should be closed first.
   */
  public EventLoopGroup eventLoops() {
    return listener.eventLoops();
  }

  /**
   * Whether the event loop is one of Linux's epoll; else it is one of Java's NIO. A client can run
   * on it only with sockets of the same kind.
   */
  public boolean isEpoll() {
    return listener.isEpoll();
  }
}
