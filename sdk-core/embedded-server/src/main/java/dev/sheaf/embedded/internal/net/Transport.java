// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import java.net.SocketAddress;
import java.nio.file.Path;

/** How sockets are reached: by Java's own means, or by those of the operating system. */
interface Transport {
  IoHandlerFactory ioHandler();

  Class<? extends ServerChannel> tcp();

  Class<? extends ServerChannel> unix();

  SocketAddress unixAddress(Path path);

  /** Reads what has arrived on the socket, at once, from within the event loop. */
  void readNow(Channel channel);
}
