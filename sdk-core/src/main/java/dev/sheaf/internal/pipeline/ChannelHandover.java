// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.protocol.ConnectionWatchdog;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Attaches the sockets of a connection to its {@link NodePipeline}, one at a time.
 *
 * <p>Lettuce can open two sockets: after a failed handshake, both the failure and the closing of
 * the socket schedule the next attempt. Commands on the second socket would overtake those that
 * await replies on the first. So the first one is closed, and the second is attached when the
 * commands lost with the first have been dealt with.
 *
 * <p>Thread-safe. Called on the event loop of the socket in question.
 */
final class ChannelHandover implements NodeChannel.Lifecycle {

  private final NodePipeline pipeline;
  private @Nullable NodeChannel current;
  private @Nullable NodeChannel next;

  ChannelHandover(NodePipeline pipeline) {
    this.pipeline = pipeline;
  }

  @Override
  public void opened(NodeChannel socket) {
    NodeChannel before;
    NodeChannel superseded = null;
    synchronized (this) {
      before = current;
      if (before == null) {
        current = socket;
      } else {
        superseded = next;
        next = socket;
      }
    }
    if (before == null) {
      pipeline.attach(socket);
    } else {
      closeSuperseded(before.channel());
    }
    if (superseded != null) {
      closeSuperseded(superseded.channel());
    }
  }

  @Override
  public void lost(NodeChannel socket) {
    if (!isCurrent(socket)) {
      return;
    }
    pipeline.detach(socket);
    NodeChannel following;
    synchronized (this) {
      following = next;
      current = following;
      next = null;
    }
    if (following != null) {
      attachSoon(following);
    }
  }

  private void attachSoon(NodeChannel socket) {
    try {
      socket.execute(() -> attach(socket));
    } catch (RejectedExecutionException shutDown) {
      // The client is closed, and all waiting commands with it.
    }
  }

  private synchronized boolean isCurrent(NodeChannel socket) {
    if (socket == next) {
      next = null;
    }
    return socket == current;
  }

  private void attach(NodeChannel socket) {
    // If it has been lost meanwhile, it was detached before it was attached.
    if (isCurrent(socket)) {
      pipeline.attach(socket);
    }
  }

  /** Closes a socket later, and without a reconnect, since there is another one. */
  private static void closeSuperseded(Channel socket) {
    ChannelHandler watchdog = socket.pipeline().get(ConnectionWatchdog.class);
    if (watchdog != null) {
      socket.pipeline().remove(watchdog);
    }
    socket.close();
  }
}
