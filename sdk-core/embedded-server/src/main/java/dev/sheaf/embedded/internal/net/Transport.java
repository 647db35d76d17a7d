// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import java.net.SocketAddress;
import java.nio.file.Path;

/** The kind of sockets: Java's own, or the operating system's. */
interface Transport {
  IoHandlerFactory ioHandler();

  Class<? extends ServerChannel> tcp();

  Class<? extends ServerChannel> unix();

  SocketAddress unixAddress(Path path);

  /** Reads the data on the socket at once, within the event loop. */
  void readNow(Channel channel);
}
