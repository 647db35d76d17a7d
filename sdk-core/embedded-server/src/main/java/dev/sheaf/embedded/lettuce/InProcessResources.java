// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.lettuce;

import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.resource.ClientResources;

/**
 * Client resources of Lettuce whose clients run on the event loop of an {@link EmbeddedServer} in
 * this JVM: standalone, cluster or sentinel, on the ports and URIs of the server. Then no other
 * thread has to be woken for a request. Connections to other servers work as always.
 *
 * <p>That takes the same kind of sockets on both sides: Lettuce takes epoll where
 * netty-transport-native-epoll is on the class path, and the server where it is built with {@code
 * epoll()}. Otherwise the client has a thread of its own. On the shared event loop callbacks of the
 * client hold up the server and a running script holds up the client, so that SCRIPT KILL has to
 * come from a client without these resources.
 *
 * <p>Close the client and the resources before the server.
 */
public final class InProcessResources {
  private InProcessResources() {}

  /**
   * Resources that can be adapted further, except for the event loops.
   *
   * @return for the caller to build, and to shut down what it has built
   */
  public static ClientResources.Builder builder(EmbeddedServer server) {
    return ClientResources.builder().eventLoopGroupProvider(new ServerEventLoops(server));
  }
}
