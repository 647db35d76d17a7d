// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;

/** Linux's epoll, which is faster; needs its native library on the class path. */
final class EpollTransport implements Transport {
  private static final EpollIoEvent READABLE = () -> EpollIoOps.EPOLLIN;

  /**
   * @throws IllegalStateException if it is missing; the message says what
   */
  EpollTransport() {
    if (!Epoll.isAvailable()) {
      throw new IllegalStateException(
          "the epoll transport needs Linux and netty-transport-native-epoll on the class path",
          Epoll.unavailabilityCause());
    }
  }

  @Override
  public IoHandlerFactory ioHandler() {
    return EpollIoHandler.newFactory();
  }

  @Override
  public Class<? extends ServerChannel> tcp() {
    return EpollServerSocketChannel.class;
  }

  @Override
  public Class<? extends ServerChannel> unix() {
    return EpollServerDomainSocketChannel.class;
  }

  @Override
  public SocketAddress unixAddress(Path path) {
    return new DomainSocketAddress(path.toFile());
  }

  @Override
  public void readNow(Channel channel) {
    if (channel.unsafe() instanceof EpollIoHandle handle) {
      handle.handle(null, READABLE);
    }
  }
}
