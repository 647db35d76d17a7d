// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A client connection and its connection to the server. Confined to the event loop. */
final class ProxyConnection {

  private static final int DISCARD_UNSENT_AND_RESET = 0;

  private final SocketChannel client;
  private final ProxyCounters counters;
  private final ProxyPipe toServer;
  private final ProxyPipe toClient;

  private @Nullable SocketChannel server;

  /**
   * Whether the client's next bytes start a turn: nothing, or a reply, was delivered to it last.
   */
  private boolean turnOpen = true;

  private boolean swallowing;
  private boolean cut;
  private boolean closed;

  ProxyConnection(
      SocketChannel client,
      ProxyLink linkToServer,
      ProxyLink linkToClient,
      ProxyScheduler scheduler,
      ProxyCounters counters,
      int maxBytesInFlight) {
    this.client = client;
    this.counters = counters;
    this.toServer =
        new ProxyPipe(
            this,
            linkToServer,
            scheduler,
            counters,
            counters.bytesToServer::addAndGet,
            maxBytesInFlight);
    this.toClient =
        new ProxyPipe(
            this, linkToClient, scheduler, counters, this::deliveredToClient, maxBytesInFlight);
    toServer.source(client);
    toClient.sink(client);
  }

  ChannelHandler clientHandler() {
    return new Side(toServer) {
      @Override
      public void channelRead(ChannelHandlerContext context, Object data) {
        if (turnOpen) {
          turnOpen = false;
          counters.roundTrips.incrementAndGet();
        }
        super.channelRead(context, data);
      }
    };
  }

  ChannelHandler serverHandler() {
    return new Side(toClient) {
      @Override
      public void channelActive(ChannelHandlerContext context) {
        serverConnected((SocketChannel) context.channel());
      }
    };
  }

  void pauseChanged() {
    toServer.schedule();
    toClient.schedule();
  }

  void swallow(boolean on) {
    if (on) {
      swallowing = true;
      toServer.swallow();
      toClient.swallow();
    }
  }

  /** Ends the client's stream after the data written to it. The server's side is closed. */
  void cut() {
    cut = true;
    toServer.swallow();
    toClient.swallow();
    if (server != null) {
      server.close();
    }
    // Not closed at once: closing with unread data of the client causes a reset, which could
    // overtake the data to deliver. The connection is closed when the client ends its side.
    endDelivered(client);
  }

  void endDelivered(Channel to) {
    // After the last write, because shutting down the output fails data that is not sent yet.
    to.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            written -> ((SocketChannel) to).shutdownOutput().addListener(this::outputShutDown));
  }

  private void outputShutDown(Future<?> done) {
    if (!done.isSuccess() || (toServer.ended() && toClient.ended())) {
      close();
    }
  }

  void reset() {
    end(true);
  }

  void close() {
    end(false);
  }

  private void end(boolean withReset) {
    if (closed) {
      return;
    }
    closed = true;
    toServer.swallow();
    toClient.swallow();
    end(client, withReset);
    if (server != null) {
      end(server, withReset);
    }
  }

  private static void end(SocketChannel channel, boolean withReset) {
    if (withReset && channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, DISCARD_UNSENT_AND_RESET);
    }
    channel.close();
  }

  private void serverConnected(SocketChannel channel) {
    if (closed || cut || swallowing) {
      channel.close();
      return;
    }
    server = channel;
    toClient.source(channel);
    toServer.sink(channel);
  }

  private void deliveredToClient(long bytes) {
    turnOpen = true;
    counters.bytesToClient.addAndGet(bytes);
  }

  /** Events of one socket, written to the pipe that leads to the other one. */
  private class Side extends ChannelInboundHandlerAdapter {

    private final ProxyPipe pipe;
    private boolean endSeen;

    Side(ProxyPipe pipe) {
      this.pipe = pipe;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object data) {
      pipe.dataArrived((ByteBuf) data);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event == ChannelInputShutdownEvent.INSTANCE && !endSeen) {
        endSeen = true;
        if (swallowing || cut) {
          close();
        } else {
          pipe.endArrived();
        }
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (endSeen || swallowing || cut) {
        reset();
      } else {
        endSeen = true;
        pipe.resetArrived();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (!cut || context.channel() == client) {
        close();
      }
    }
  }
}
