// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.lettuce;

import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.resource.ClientResources;

/**
 * Lettuce client resources that run on the event loop of an {@link EmbeddedServer} in this JVM:
 * standalone, cluster or sentinel, with the ports and URIs of the server. No other thread has to be
 * woken for a request. Connections to other servers work as always.
 *
 * <p>Client and server must use the same kind of sockets: Lettuce uses epoll if
 * netty-transport-native-epoll is on the class path, and the server if it was built with {@code
 * epoll()}. Otherwise the client has a thread of its own. On the shared event loop, callbacks of
 * the client delay the server, and a running script delays the client: SCRIPT KILL must be sent by
 * a client without these resources.
 *
 * <p>Close the client and the resources before the server.
 */
public final class InProcessResources {
  private InProcessResources() {}

  /**
   * Returns a builder of resources, which can be changed further except for the event loops.
   *
   * @return for the caller to build; the caller shuts the resources down
   */
  public static ClientResources.Builder builder(EmbeddedServer server) {
    return ClientResources.builder().eventLoopGroupProvider(new ServerEventLoops(server));
  }
}
