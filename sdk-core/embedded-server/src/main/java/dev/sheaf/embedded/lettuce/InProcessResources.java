// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.lettuce;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.InProcess;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;

/**
 * Client resources of Lettuce with which clients reach an {@link EmbeddedServer} of this JVM
 * without the kernel: standalone, cluster or sentinel, on the ports and URIs of the server.
 * Connections to other servers work as always.
 *
 * <p>A client runs on the event loop of the server if both use the same kind of sockets: Lettuce
 * takes epoll where netty-transport-native-epoll is on the class path, and the server where it is
 * built with {@code epoll()}. Otherwise the client has threads of its own, and uses the socket. On
 * the shared event loop callbacks of the client hold up the server and a running script holds up
 * the client, so that SCRIPT KILL has to come from a client without these resources.
 *
 * <p>Close the client and the resources before the server.
 */
public final class InProcessResources {
  private InProcessResources() {}

  /**
   * Resources that can be adapted further, except for the event loops and the Netty customizer.
   *
   * @return for the caller to build, and to shut down what it has built
   */
  public static ClientResources.Builder builder(EmbeddedServer server) {
    InProcess inProcess = server.inProcess();
    return ClientResources.builder()
        .eventLoopGroupProvider(new ServerEventLoops(inProcess))
        .nettyCustomizer(
            new NettyCustomizer() {
              @Override
              public void afterChannelInitialized(Channel channel) {
                inProcess.attach(channel);
              }
            });
  }
}
