// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;

/** Java's own sockets. */
final class NioTransport implements Transport {
  @Override
  public IoHandlerFactory ioHandler() {
    return NioIoHandler.newFactory();
  }

  @Override
  public Class<? extends ServerChannel> tcp() {
    return NioServerSocketChannel.class;
  }

  @Override
  public Class<? extends ServerChannel> unix() {
    return NioServerDomainSocketChannel.class;
  }

  @Override
  public SocketAddress unixAddress(Path path) {
    return UnixDomainSocketAddress.of(path);
  }

  @Override
  public void readNow(Channel channel) {
    if (channel.unsafe() instanceof AbstractNioChannel.NioUnsafe unsafe) {
      unsafe.read();
    }
  }
}
