// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * What it costs while nothing is wrong that a time-out can say its stage: the notes for that, each
 * for as many commands as there are in the worst case, which is one.
 *
 * <p>A program, not a test. It prints processor time, since other programs may run.
 */
final class StagesCost {

  private static final int ROUNDS = 5;
  private static final int TIMES = 20_000_000;

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

  private StagesCost() {}

  public static void main(String[] arguments) {
    NodePipeline pipeline = new Nowhere().pipeline();
    EmbeddedChannel empty = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    EmbeddedChannel noting = new EmbeddedChannel();
    NodeChannel channel = new NodeChannel(pipeline, new Untold(), noting, true);
    noting.pipeline().addLast(channel);
    ChannelHandlerContext without = empty.pipeline().firstContext();
    ChannelHandlerContext with = noting.pipeline().firstContext();
    ChannelInboundHandlerAdapter passing = (ChannelInboundHandlerAdapter) without.handler();
    EncodedCommand<?, ?, ?> ping = FakeWriter.ping();
    for (int round = -2; round < ROUNDS; round++) {
      print(round, "the end of a read, without a note", () -> readComplete(passing, without));
      print(
          round,
          "the end of a read in which nothing ended, with a note",
          () -> read(channel, with));
      print(
          round,
          "the end of a read in which a flight ended, with a note",
          () -> end(channel, with));
      print(round, "a command that leaves at once", () -> leave(pipeline, ping));
    }
  }

  private static void print(int round, String what, Supplier<Integer> loop) {
    long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    int unused = loop.get();
    long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin;
    if (round >= 0) {
      System.out.printf(Locale.ROOT, "%-56s %.1f ns%n", what, (double) nanos / TIMES);
    }
  }

  private static int readComplete(
      ChannelInboundHandlerAdapter handler, ChannelHandlerContext context) {
    try {
      for (int i = 0; i < TIMES; i++) {
        handler.channelReadComplete(context);
      }
      return TIMES;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static int read(NodeChannel channel, ChannelHandlerContext context) {
    for (int i = 0; i < TIMES; i++) {
      channel.channelReadComplete(context);
    }
    return TIMES;
  }

  private static int end(NodeChannel channel, ChannelHandlerContext context) {
    for (int i = 0; i < TIMES; i++) {
      channel.heard(i); // Of the clock that the round trip asks anyway.
      channel.channelReadComplete(context);
    }
    return TIMES;
  }

  private static int leave(NodePipeline pipeline, EncodedCommand<?, ?, ?> command) {
    for (int i = 0; i < TIMES; i++) {
      if (command.isDelayed()) {
        pipeline.expiry().leavesLate(command);
      }
    }
    return TIMES;
  }
}
