package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.InnerCommand;
import dev.sheaf.internal.fusion.FusedRead;
import dev.sheaf.internal.fusion.NilCheck;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.DecoratedCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Commands that are written as one and answered one by one.
 *
 * <p>To Lettuce it is a single command: one write, one entry in the queue of those that await
 * replies, one time-out. {@link FlightHandler} reads as many replies for it as it has parts. What
 * Lettuce spends on each command, it spends on each flight.
 *
 * <p>Replies arrive on the event loop; a flight may be failed from any thread. If the connection is
 * lost half way, the flight ends there, and {@link Replay} decides about its parts.
 */
final class Flight extends InnerCommand<Object, Object>
    implements DecoratedCommand<Object, Object, Object> {

  private final List<RedisCommand<?, ?, ?>> parts;
  private final int commands;
  private final int callbacks;
  private final long bytes;
  private final @Nullable NodeChannel channel;
  private final long sentNanos;

  /** How many parts have their reply; the next reply is for the part at this index. */
  private int answered;

  /** Whether some of the reply to the current part may have been read. */
  private boolean answerBegun;

  /**
   * Creates a flight.
   *
   * @param parts at least one, in the order of their replies; the list is kept
   * @param commands how many callers' commands they stand for
   * @param callbacks how many of these no blocked caller awaits
   * @param bytes the size of their requests
   * @param channel where it is about to be written, to count it there; null if nobody counts
   * @param sentNanos when it leaves, by System.nanoTime
   */
  Flight(
      List<RedisCommand<?, ?, ?>> parts,
      int commands,
      int callbacks,
      long bytes,
      @Nullable NodeChannel channel,
      long sentNanos) {
    this.parts = parts;
    this.commands = commands;
    this.callbacks = callbacks;
    this.bytes = bytes;
    this.channel = channel;
    this.sentNanos = sentNanos;
  }

  /**
   * Makes a flight of commands that are about to be written.
   *
   * @param parts at least one, in the order of their replies; the list is kept
   * @param channel where they are about to be written
   */
  static Flight of(List<RedisCommand<?, ?, ?>> parts, NodeChannel channel) {
    int commands = 0;
    int callbacks = 0;
    long bytes = 0;
    for (RedisCommand<?, ?, ?> part : parts) {
      if (part instanceof FusedRead fused) {
        commands += fused.size();
        callbacks += fused.callbacks();
        bytes += fused.requestBytes();
      } else {
        commands++;
        if (part instanceof EncodedCommand<?, ?, ?> command) {
          callbacks += command.isAwaited() ? 0 : 1;
          bytes += command.requestBytes();
        } else {
          callbacks += part instanceof NilCheck check && check.get().isAwaited() ? 0 : 1;
        }
      }
    }
    return new Flight(parts, commands, callbacks, bytes, channel, System.nanoTime());
  }

  /**
   * The flight that a command is; null if it travels alone. Lettuce wraps commands to measure them,
   * or when they are written during activation.
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static @Nullable Flight in(RedisCommand<?, ?, ?> command) {
    if (command instanceof Flight flight) {
      return flight;
    }
    return command instanceof CommandWrapper
        ? CommandWrapper.unwrap((RedisCommand) command, Flight.class)
        : null;
  }

  /** How many callers' commands it stands for. */
  int commands() {
    return commands;
  }

  /** How many of its commands no blocked caller awaits: their completion runs others' code. */
  int callbacks() {
    return callbacks;
  }

  /** The size of its requests. */
  long bytes() {
    return bytes;
  }

  /** The part that the next reply belongs to. */
  RedisCommand<?, ?, ?> current() {
    return parts.get(Math.min(answered, parts.size() - 1));
  }

  /** Whether the server may let the command wait whose reply comes next, and it is still wanted. */
  boolean isBlocking() {
    return current() instanceof EncodedCommand<?, ?, ?> command
        && command.traits().isBlocking()
        && !command.isAbandoned();
  }

  /** Whether nothing is known of the command whose reply comes next. */
  boolean isUnknown() {
    return current() instanceof EncodedCommand<?, ?, ?> command && !command.traits().isKnown();
  }

  /** Notes that the reply to the current part has come in part. */
  void begunToAnswer() {
    answerBegun = true;
  }

  /** When it left, by System.nanoTime. */
  long sentNanos() {
    return sentNanos;
  }

  /** Whether the first part without a reply may have some of it already. */
  boolean isAnswerBegun() {
    return answerBegun;
  }

  /**
   * Completes the current part, whose reply has been read.
   *
   * @return whether it was the last
   */
  boolean advance() {
    RedisCommand<?, ?, ?> part = parts.get(answered);
    if (channel != null) {
      // Lettuce, which follows redirections, takes the error away.
      channel.replied(part.getOutput());
    }
    answered++;
    answerBegun = false;
    try {
      part.complete();
    } catch (Throwable e) {
      part.completeExceptionally(e);
    }
    if (channel != null) {
      channel.delivered();
    }
    return answered == parts.size();
  }

  @Override
  public void complete() {
    while (answered < parts.size()) {
      advance();
    }
    NodeChannel countedOn = channel;
    if (countedOn != null) {
      countedOn.arrived(this, parts.get(parts.size() - 1).getOutput());
      countedOn.answered(this, commands, bytes, sentNanos);
    }
    finish();
  }

  private void finish() {
    end();
    notifyListeners(null);
  }

  @Override
  public boolean completeExceptionally(Throwable throwable) {
    if (isOver()) {
      return false;
    }
    for (RedisCommand<?, ?, ?> part : parts) {
      if (!part.isDone()) {
        if (throwable instanceof RedisCommandTimeoutException) {
          expire(part);
        } else {
          part.completeExceptionally(throwable);
        }
      }
    }
    finish();
    return true;
  }

  /** Lettuce's error names the first command of the flight; each has one of its own. */
  private void expire(RedisCommand<?, ?, ?> part) {
    if (part instanceof FusedRead fused) {
      fused.reads().forEach(this::expireOne);
    } else {
      expireOne(part);
    }
  }

  private void expireOne(RedisCommand<?, ?, ?> command) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentNanos);
    command.completeExceptionally(
        new RedisCommandTimeoutException(
            command.getType()
                + " was not answered"
                + (channel == null ? "" : " by " + channel.address())
                + " within "
                + millis
                + " ms; commandTimeout sets the limit"));
  }

  @Override
  public void cancel() {
    for (RedisCommand<?, ?, ?> part : parts) {
      if (!part.isDone()) {
        part.cancel();
      }
    }
    finish();
  }

  /**
   * Ends the flight, because its connection is lost: Lettuce, which would send it again whole,
   * drops what is done.
   *
   * @return the parts without a reply, in order
   */
  List<RedisCommand<?, ?, ?>> lose() {
    finish();
    return unanswered();
  }

  /** The parts without a reply, in order. */
  List<RedisCommand<?, ?, ?>> unanswered() {
    return parts.subList(answered, parts.size());
  }

  @Override
  public void encode(ByteBuf buffer) {
    for (RedisCommand<?, ?, ?> part : parts) {
      part.encode(buffer);
    }
  }

  /**
   * Whether the flight as a whole is over. Not when its parts are: Lettuce drops what is done
   * before it is written, and a flight that was counted must be written, or it would count for
   * ever.
   */
  @Override
  public boolean isDone() {
    return isOver();
  }

  @Override
  @SuppressWarnings("unchecked")
  public CommandOutput<Object, Object, Object> getOutput() {
    return (CommandOutput<Object, Object, Object>) current().getOutput();
  }

  @Override
  @SuppressWarnings("unchecked")
  public CommandArgs<Object, Object> getArgs() {
    return (CommandArgs<Object, Object>) current().getArgs();
  }

  @Override
  public ProtocolKeyword getType() {
    return current().getType();
  }

  @Override
  @SuppressWarnings("unchecked")
  public RedisCommand<Object, Object, Object> getDelegate() {
    return (RedisCommand<Object, Object, Object>) current();
  }

  @Override
  public String toString() {
    return "Flight of " + parts;
  }
}
