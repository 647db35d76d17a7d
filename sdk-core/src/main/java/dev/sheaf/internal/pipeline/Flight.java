// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.fusion.FusedRead;
import dev.sheaf.internal.fusion.NilCheck;
import dev.sheaf.internal.observe.BatchEvent;
import dev.sheaf.internal.observe.CommandEvent;
import dev.sheaf.internal.observe.Lateness;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Several commands that are sent as one and answered one by one.
 *
 * <p>To Lettuce it is a single command: one write, one entry in the queue of commands awaiting
 * replies, one time-out. So Lettuce's cost per command becomes a cost per flight. {@link
 * FlightHandler} reads one reply for each part. A flight is no {@code DecoratedCommand}: Lettuce
 * would unwrap it and take it for its current part, which changes with each reply.
 *
 * <p>Replies arrive on the event loop; any thread can fail a flight. If the connection is lost
 * halfway, the flight ends there, and {@link Replay} decides about the remaining parts.
 */
final class Flight implements RedisCommand<Object, Object, Object>, CompleteableCommand<Object> {

  /** The connection that a flight is sent on. */
  interface Carrier {

    /** The node's address. */
    String address();

    /** Called when a reply has been read, before its command completes. On the event loop. */
    void replied(@Nullable CommandOutput<?, ?, ?> output);

    /** Called after a part has completed. On the event loop. */
    void delivered();

    /** Called when the last reply to a flight has been read. On the event loop. */
    void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last);

    /** Called once for each flight whose replies were all read. On the event loop. */
    void answered(Flight flight);

    /**
     * Called when Lettuce has found no connection for a flight that was counted as sent. Ends the
     * socket, so that {@link Replay} decides about the commands. Any thread.
     */
    void unwritten(Flight flight, IOException failure);

    /** Explains why a flight is late, by its first unanswered command. */
    Lateness whyLate(RedisCommand<?, ?, ?> command);

    /** Counts commands that timed out. */
    void timedOut(Lateness why, int commands);
  }

  /** In place of the parts of a flight that were all answered, or lost. Done, without arguments. */
  private static final List<RedisCommand<?, ?, ?>> RELEASED = List.of(released());

  private List<RedisCommand<?, ?, ?>> parts;
  private final int commands;
  private final int callbacks;

  /** Whether a command may block its connection, such as BLPOP. */
  private final boolean mayBlock;

  private final long bytes;
  private final Carrier channel;
  private final long sentNanos;

  /** Null unless the flight recorder is running and wants the event. */
  private final @Nullable BatchEvent event =
      FlightRecorder.isInitialized() ? BatchEvent.begun() : null;

  /** Whether it was answered, failed or cancelled. */
  private volatile boolean over;

  /** Lettuce's completion listener, added before the flight is written. */
  private volatile @Nullable BiConsumer<? super Object, Throwable> listener;

  /** How many parts have been answered; the next reply belongs to the part at this index. */
  private int answered;

  /** Whether part of the current reply may have been read. */
  private boolean answerBegun;

  /** When the current reply began, by System.nanoTime; 0 if not measured. */
  private long firstReplyNanos;

  /**
   * Creates a flight of commands that are about to be sent.
   *
   * @param parts at least one, in the order of their replies; the list is not copied
   * @param channel the connection to send them on
   */
  Flight(List<RedisCommand<?, ?, ?>> parts, Carrier channel) {
    int commands = 0;
    int callbacks = 0;
    boolean mayBlock = false;
    long bytes = 0;
    for (int i = 0; i < parts.size(); i++) {
      RedisCommand<?, ?, ?> part = parts.get(i);
      if (part instanceof FusedRead fused) {
        commands += fused.size();
        callbacks += fused.callbacks();
        bytes += fused.requestBytes();
      } else {
        commands++;
        if (part instanceof EncodedCommand<?, ?, ?> command) {
          callbacks += command.isAwaited() ? 0 : 1;
          mayBlock |= command.traits().isBlocking();
          bytes += command.requestBytes();
        } else {
          callbacks += part instanceof NilCheck check && check.read().isAwaited() ? 0 : 1;
        }
      }
    }
    this.parts = parts;
    this.commands = commands;
    this.callbacks = callbacks;
    this.mayBlock = mayBlock;
    this.bytes = bytes;
    this.channel = channel;
    this.sentNanos = System.nanoTime();
  }

  /**
   * The flight behind a command, or null. Lettuce wraps commands to measure them, and when they are
   * written during activation.
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

  /** How many commands of callers it contains. */
  int commands() {
    return commands;
  }

  /** How many of these were fused with others. */
  int fusedCommands() {
    int fused = 0;
    for (RedisCommand<?, ?, ?> part : parts) {
      fused += part instanceof FusedRead read ? read.size() : 0;
    }
    return fused;
  }

  /** The first command of a caller. */
  RedisCommand<?, ?, ?> firstCommand() {
    return callersCommand(parts.get(0));
  }

  /** The first command of a caller in a part. */
  private static RedisCommand<?, ?, ?> callersCommand(RedisCommand<?, ?, ?> part) {
    if (part instanceof FusedRead fused) {
      return fused.reads().get(0);
    }
    return part instanceof NilCheck check ? check.read() : part;
  }

  /** How many of its commands complete futures or callbacks, and not a blocked caller. */
  int callbacks() {
    return callbacks;
  }

  /**
   * Whether it needs a time-out of its own. Not if all its callers block: they end their own waits.
   * But one that is interrupted leaves its command behind, which must not block the connection for
   * ever.
   */
  boolean needsTimeout() {
    return callbacks > 0 || mayBlock;
  }

  /** The size of its requests. */
  long bytes() {
    return bytes;
  }

  /** The part that the next reply answers. */
  RedisCommand<?, ?, ?> current() {
    List<RedisCommand<?, ?, ?>> all = parts;
    return all.get(Math.min(answered, all.size() - 1));
  }

  /** Whether the next reply belongs to a blocking command, such as BLPOP, that is still awaited. */
  boolean isBlocking() {
    return current() instanceof EncodedCommand<?, ?, ?> command
        && command.traits().isBlocking()
        && !command.isAbandoned();
  }

  /** Whether the next reply belongs to a command that is not in the table of commands. */
  boolean isUnknown() {
    return current() instanceof EncodedCommand<?, ?, ?> command && !command.traits().isKnown();
  }

  /** Records that the current reply has arrived in part. */
  void begunToAnswer() {
    answerBegun = true;
  }

  /** Records when the first bytes of the current reply arrived. */
  void replyBegins() {
    if (firstReplyNanos == 0) {
      firstReplyNanos = System.nanoTime();
    }
  }

  /** When the current reply began, by System.nanoTime. */
  long firstReplyNanos() {
    return firstReplyNanos;
  }

  /** When it was sent, by System.nanoTime. */
  long sentNanos() {
    return sentNanos;
  }

  /** Whether part of the current reply may have arrived. */
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
    // Before completion: to follow a redirection, Lettuce removes the error.
    channel.replied(part.getOutput());
    answered++;
    answerBegun = false;
    firstReplyNanos = 0;
    try {
      part.complete();
    } catch (Throwable e) {
      part.completeExceptionally(e);
    }
    channel.delivered();
    return answered == parts.size();
  }

  @Override
  public void complete() {
    while (answered < parts.size()) {
      advance();
    }
    if (event != null) {
      record(event, channel.address());
    }
    channel.arrived(this, parts.get(parts.size() - 1).getOutput());
    channel.answered(this);
    finish(null);
    // Lettuce's timer keeps a flight that is done for up to 100 ms: at 2,500 values of a megabyte a
    // second, it would keep a quarter of a gigabyte of them.
    parts = RELEASED;
  }

  /** Records an event for the flight recorder if the flight was slow. */
  private void record(BatchEvent event, String node) {
    if (event.commit(node, commands, fusedCommands(), bytes)) {
      long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sentNanos);
      for (RedisCommand<?, ?, ?> part : parts) {
        if (part instanceof FusedRead read) {
          read.reads().forEach(one -> CommandEvent.commit(node, one.getType().toString(), micros));
        } else {
          CommandEvent.commit(node, part.getType().toString(), micros);
        }
      }
    }
  }

  /** Notifies Lettuce once, also if a flight that timed out is answered later. */
  private void finish(@Nullable Throwable failure) {
    if (!over) {
      over = true;
      BiConsumer<? super Object, Throwable> current = listener;
      if (current != null) {
        tell(current, failure);
      }
    }
  }

  @Override
  public boolean completeExceptionally(Throwable throwable) {
    if (over) {
      return false;
    }
    if (throwable instanceof RedisCommandTimeoutException && answered < parts.size()) {
      expire();
      return true;
    }
    if (throwable instanceof IOException lost) {
      channel.unwritten(this, lost);
      return false;
    }
    fail(throwable);
    return true;
  }

  /** Fails the unanswered parts. */
  void fail(Throwable throwable) {
    if (over) {
      return;
    }
    // Even parts that are done: a span or a listener may wait for the end of the command.
    for (RedisCommand<?, ?, ?> part : unanswered()) {
      part.completeExceptionally(throwable);
    }
    finish(throwable);
  }

  /** Fails the unanswered parts. Each error names its own command and the common reason. */
  private void expire() {
    long nanos = System.nanoTime() - sentNanos;
    RedisCommand<?, ?, ?> first = callersCommand(current());
    Lateness why = Lateness.orPause(nanos, channel.whyLate(first));
    String byNode = " by " + channel.address();
    RedisCommandTimeoutException failure = why.failure(first.getType().toString(), byNode, nanos);
    int ended = 0;
    for (RedisCommand<?, ?, ?> part : unanswered()) {
      int waiting =
          part instanceof FusedRead fused
              ? (int) fused.reads().stream().filter(read -> !read.isDone()).count()
              : 1;
      if (part.completeExceptionally(
          why.exception(callersCommand(part).getType().toString(), byNode, nanos))) {
        ended += waiting;
      }
    }
    channel.timedOut(why, ended);
    finish(failure);
  }

  /** Runs an action for each command of a caller that is unanswered. */
  void forEachUnanswered(Consumer<RedisCommand<?, ?, ?>> action) {
    for (RedisCommand<?, ?, ?> part : unanswered()) {
      if (part instanceof FusedRead fused) {
        fused.reads().forEach(action);
      } else {
        action.accept(callersCommand(part));
      }
    }
  }

  /** Whether any reply has arrived, at least in part. */
  boolean isPartlyAnswered() {
    return answered > 0 || answerBegun;
  }

  @Override
  public void cancel() {
    for (RedisCommand<?, ?, ?> part : unanswered()) {
      part.cancel();
    }
    finish(null);
  }

  /**
   * Ends the flight because its connection is lost. Lettuce would send the whole flight again, but
   * drops commands that are done. If its connection is closed, Lettuce writes an error into the
   * outputs of what it has sent, which must not be those of commands that are sent again elsewhere.
   *
   * @return the unanswered parts, in order
   */
  List<RedisCommand<?, ?, ?>> lose() {
    List<RedisCommand<?, ?, ?>> unanswered = unanswered();
    finish(null);
    parts = RELEASED;
    return unanswered;
  }

  @SuppressWarnings("NullAway") // Both arguments may be null, which BiConsumer cannot say.
  private static void tell(
      BiConsumer<? super Object, Throwable> listener, @Nullable Throwable failure) {
    listener.accept(null, failure);
  }

  @Override
  public void onComplete(Consumer<? super Object> action) {
    onComplete((nothing, failure) -> action.accept(nothing));
  }

  @Override
  public void onComplete(BiConsumer<? super Object, Throwable> action) {
    BiConsumer<? super Object, Throwable> before = listener;
    listener =
        before == null
            ? action
            : (nothing, failure) -> {
              before.accept(nothing, failure);
              action.accept(nothing, failure);
            };
    if (over) {
      tell(action, null);
    }
  }

  /** The unanswered parts, in order. */
  List<RedisCommand<?, ?, ?>> unanswered() {
    List<RedisCommand<?, ?, ?>> all = parts;
    return all.subList(Math.min(answered, all.size()), all.size());
  }

  private static RedisCommand<?, ?, ?> released() {
    Command<Object, Object, Object> command = new Command<>(CommandType.ECHO, null);
    command.complete();
    return command;
  }

  @Override
  public void encode(ByteBuf buffer) {
    for (RedisCommand<?, ?, ?> part : parts) {
      part.encode(buffer);
    }
  }

  /**
   * Whether the flight as a whole is over, even if all its parts are done. Lettuce does not write a
   * command that is done; a flight that was counted but never written would count for ever.
   */
  @Override
  public boolean isDone() {
    return over;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public void setOutput(CommandOutput<Object, Object, Object> output) {
    throw new UnsupportedOperationException("The outputs of a flight are those of its parts");
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
  public String toString() {
    return "Flight of " + parts;
  }
}
