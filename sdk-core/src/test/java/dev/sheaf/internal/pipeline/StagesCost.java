// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Collection;

/**
 * What is done while nothing is wrong so that a time-out can say its stage, for a command that is
 * written alone, which is the worst case. For the benchmark of it.
 */
public final class StagesCost {

  private static final class Nowhere extends FakeWriter {
    @Override
    void written(Collection<? extends RedisCommand<?, ?, ?>> commands) {
      // It is not about the socket.
    }
  }

  private static final class Untold implements NodeChannel.Lifecycle {
    @Override
    public void opened(NodeChannel socket) {
      // Nothing is sent here.
    }

    @Override
    public void lost(NodeChannel socket) {
      // Nothing was sent here.
    }
  }

  private final NodePipeline pipeline = new Nowhere().pipeline();
  private final EncodedCommand<?, ?, ?> ping = FakeWriter.ping();
  private final NodeChannel channel;
  private final ChannelHandlerContext context;
  private long nanos;

  public StagesCost() {
    EmbeddedChannel socket = new EmbeddedChannel();
    channel = new NodeChannel(pipeline, new Untold(), socket, true);
    context = socket.pipeline().addLast(channel).firstContext();
  }

  /** It leaves at once, and the read in which it is answered, which asked the clock, ends. */
  public void note() {
    if (ping.isDelayed()) {
      pipeline.expiry().trackDelayed(ping);
    }
    channel.heard(nanos++);
    channel.channelReadComplete(context);
  }
}
