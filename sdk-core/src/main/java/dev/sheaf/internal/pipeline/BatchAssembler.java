// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.fusion.FusionGauge;
import dev.sheaf.internal.fusion.NilCheck;
import dev.sheaf.internal.fusion.RunFuser;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the next batch of a connection and writes it: takes commands in order, first those to
 * be sent again and then those in the queue, up to the limits of a batch, and fuses reads.
 *
 * <p>Confined to the one consumer of the queue, except for {@link #again}.
 */
final class BatchAssembler {

  /** What happens to a command taken from the queue. */
  enum Fate {
    /** It is written to the socket, fused with others if possible. */
    FUSED,
    /** It fails, as there is no socket and the options reject commands meanwhile. */
    REJECTED,
    /** It is handed to Lettuce as it is. */
    UNCHANGED
  }

  private final RedisChannelWriter lettuce;

  /** For flights that need no time-out. */
  private final RedisChannelWriter withoutTimer;

  private final BatchingOptions options;

  /** The commands that ClientOptions exclude from being sent again after a reconnect. */
  private final Predicate<RedisCommand<?, ?, ?>> excludedFromReplay;

  private final PendingQueue queue;
  private final RunFuser fuser;
  private final ScriptTexts scriptTexts;
  private final CommandExpiry expiry;
  private final @Nullable BatchMeters meters;
  private final Supplier<@Nullable NodeChannel> socket;

  /** Commands to send again, ahead of the queue. */
  private final Deque<EncodedCommand<?, ?, ?>> again = new ConcurrentLinkedDeque<>();

  private final List<RedisCommand<?, ?, ?>> gathered = new ArrayList<>();

  private final WrittenTransaction transaction = new WrittenTransaction();

  /** Whether any command of a transaction has been taken. */
  private boolean usesTransactions;

  /** Whether the command taken last must be in flight alone. */
  private boolean lastWasSuspect;

  /** Whether commands of the current batch went to the fuser. */
  private boolean fusing;

  /** Whether commands may have waited for the current socket. */
  private volatile boolean replayDue;

  /** Whether no script has been called on this socket yet. */
  private boolean scriptTextsDue;

  /**
   * For one connection.
   *
   * @param lettuce writes commands to the socket and ends those that are late
   * @param withoutTimer only writes them
   * @param fuser creates the fuser, given what writes the reads of an MGET again one by one
   * @param socket supplies the socket, or null
   */
  BatchAssembler(
      RedisChannelWriter lettuce,
      RedisChannelWriter withoutTimer,
      BatchingOptions options,
      Predicate<RedisCommand<?, ?, ?>> excludedFromReplay,
      PendingQueue queue,
      Function<RunFuser.Rewriter, RunFuser> fuser,
      ScriptTexts scriptTexts,
      CommandExpiry expiry,
      @Nullable BatchMeters meters,
      Supplier<@Nullable NodeChannel> socket) {
    this.lettuce = lettuce;
    this.withoutTimer = withoutTimer;
    this.options = options;
    this.excludedFromReplay = excludedFromReplay;
    this.queue = queue;
    this.fuser = fuser.apply(this::writeAgain);
    this.scriptTexts = scriptTexts;
    this.expiry = expiry;
    this.meters = meters;
    this.socket = socket;
  }

  /** Decides whether GETs are sent as MGET. */
  FusionGauge gauge() {
    return fuser.gauge();
  }

  /** Forgets what was learnt about the previous socket. */
  void begin() {
    fuser.reset();
    transaction.lost();
    scriptTextsDue = true;
  }

  /** Ends the transaction of a socket that was lost. */
  void lost() {
    transaction.lost();
  }

  /** Puts commands in front, to be sent again. Called before the next batch is assembled. */
  void again(Replay replay) {
    if (meters != null) {
      meters.lost(replay);
    }
    List<EncodedCommand<?, ?, ?>> commands = replay.again();
    for (int i = commands.size() - 1; i >= 0; i--) {
      again.addFirst(commands.get(i));
    }
    replayDue = true;
  }

  /** Whether commands wait to be sent again. */
  boolean hasAgain() {
    return !again.isEmpty();
  }

  /** Whether the command taken last, or the next one, must be in flight alone. */
  boolean isAlone() {
    return lastWasSuspect || isSuspectNext();
  }

  private boolean isSuspectNext() {
    EncodedCommand<?, ?, ?> first = again.peek();
    return first != null && isSuspect(first);
  }

  /** Whether a command may be the reason for lost connections, so that it is sent alone. */
  private static boolean isSuspect(EncodedCommand<?, ?, ?> command) {
    return command.losses() >= Replay.LOSSES_TOGETHER;
  }

  /** Whether no command waits. */
  boolean isEmpty() {
    return again.isEmpty() && queue.isEmpty();
  }

  private void forEachWaiting(Consumer<EncodedCommand<?, ?, ?>> action) {
    again.forEach(action);
    queue.forEach(action);
  }

  /**
   * Fails the waiting commands that have reached their time-out, and drops those that are done.
   * They would take the room of others for as long as the queue is stalled.
   */
  void expireWaiting() {
    long now = System.nanoTime();
    again.removeIf(command -> isOver(command, now));
    queue.removeIf(command -> isOver(command, now));
  }

  private boolean isOver(EncodedCommand<?, ?, ?> command, long now) {
    expiry.expireIfOverdue(command, now);
    boolean over = command.isAbandoned();
    if (over) {
      command.drop();
    }
    return over;
  }

  /** Fails the waiting commands that must not be sent after a reconnect. */
  private void dropExcluded() {
    replayDue = false;
    forEachWaiting(
        command -> {
          if (excludedFromReplay.test(command)) {
            command.completeExceptionally(
                new ConnectionLostException(
                    command.getType()
                        + " was not sent again after a reconnect: replayFilter excludes it"));
          }
        });
  }

  /**
   * Writes the next batch.
   *
   * @param limit most commands to take
   * @param reconnecting whether the socket was lost and Lettuce reconnects
   * @return how many commands were taken, including those that failed
   */
  int write(@Nullable NodeChannel current, int limit, boolean reconnecting) {
    if (replayDue && current != null) {
      dropExcluded();
    }
    int taken =
        current == null
            ? gather(limit, reconnecting ? Fate.REJECTED : Fate.UNCHANGED)
            : gather(
                Math.min(limit, options.maxInFlightCommands() - current.inFlightCommands()),
                Fate.FUSED);
    if (!gathered.isEmpty()) {
      try {
        writeNow(gathered);
      } finally {
        gathered.clear();
      }
    }
    return taken;
  }

  /** Writes commands again, past the queue. Called on the event loop. */
  private void writeAgain(List<RedisCommand<?, ?, ?>> commands, long firstNanos) {
    for (RedisCommand<?, ?, ?> command : commands) {
      if (command instanceof EncodedCommand<?, ?, ?> read) {
        expiry.trackRewritten(read, firstNanos);
      } else if (command instanceof NilCheck check) {
        expiry.trackRewritten(check.read(), firstNanos);
      }
    }
    writeNow(commands);
  }

  /** Called on the event loop while there is a socket. Without one there are no flights. */
  private void writeNow(List<RedisCommand<?, ?, ?>> commands) {
    NodeChannel current = socket.get();
    if (current != null && commands.size() == 1) {
      writeOne(commands.get(0), current);
      return;
    }
    List<RedisCommand<?, ?, ?>> written = commands;
    try {
      if (current != null) {
        written = toFlights(commands, current);
      } else {
        for (RedisCommand<?, ?, ?> command : commands) {
          if (command instanceof EncodedCommand<?, ?, ?> encoded) {
            encoded.expiresBy(expiry);
          }
        }
      }
      if (written.size() == 1) {
        handToLettuce(written.get(0));
      } else {
        writeAll(written);
      }
    } catch (Throwable e) {
      // Even an Error fails only these commands: the queue must keep its consumer.
      for (RedisCommand<?, ?, ?> command : written) {
        command.completeExceptionally(e);
      }
    }
  }

  /** A shortcut for a single caller. */
  private void writeOne(RedisCommand<?, ?, ?> command, NodeChannel current) {
    RedisCommand<?, ?, ?> written = command;
    try {
      if (!prepareAlone(command, current)) {
        written = flight(List.of(command), current);
      }
      handToLettuce(written);
    } catch (Throwable e) {
      written.completeExceptionally(e);
    }
  }

  /** Writes one command or flight. Several are written together, with a time-out each. */
  private void handToLettuce(RedisCommand<?, ?, ?> written) {
    boolean timed = !(written instanceof Flight flight) || flight.needsTimeout();
    (timed ? lettuce : withoutTimer).write(written);
  }

  /** Groups commands into flights, in order. */
  private List<RedisCommand<?, ?, ?>> toFlights(
      List<RedisCommand<?, ?, ?>> commands, NodeChannel current) {
    List<RedisCommand<?, ?, ?>> written = new ArrayList<>();
    List<RedisCommand<?, ?, ?>> parts = new ArrayList<>(commands.size());
    for (RedisCommand<?, ?, ?> command : commands) {
      boolean alone = prepareAlone(command, current);
      if ((alone || !current.readsFlights()) && !parts.isEmpty()) {
        written.add(flight(parts, current));
        parts = new ArrayList<>();
      }
      (alone ? written : parts).add(command);
    }
    if (!parts.isEmpty()) {
      written.add(flight(parts, current));
    }
    return written;
  }

  /** Prepares a command that must stay outside of flights; false if it need not. */
  private boolean prepareAlone(RedisCommand<?, ?, ?> command, NodeChannel current) {
    if (command instanceof EncodedCommand<?, ?, ?> own && own.travelsAlone()) {
      current.hold();
      own.expiresBy(expiry);
      return true;
    }
    return false;
  }

  private static Flight flight(List<RedisCommand<?, ?, ?>> parts, NodeChannel current) {
    Flight flight = new Flight(parts, current);
    current.departs(flight);
    return flight;
  }

  /** Lettuce wants commands of one codec, though it never uses that. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private void writeAll(List<RedisCommand<?, ?, ?>> commands) {
    lettuce.write((Collection) commands);
  }

  private int gather(int limit, Fate fate) {
    int taken = 0;
    int taking = 0;
    long bytes = 0;
    long freedBytes = 0;
    boolean afterAsking = false;
    lastWasSuspect = false;
    while ((taken < limit && bytes < options.maxBatchBytes() && !lastWasSuspect) || afterAsking) {
      if (taken > 0 && isSuspectNext()) {
        break;
      }
      EncodedCommand<?, ?, ?> command = again.poll();
      if (command == null) {
        command = queue.poll();
        if (command == null) {
          break;
        }
        taking++;
        freedBytes += command.requestBytes();
      }
      taken++;
      bytes += command.requestBytes();
      lastWasSuspect = isSuspect(command);
      // ASKING applies to the next command only, so both must be in one write.
      afterAsking = command.getType() == CommandType.ASKING;
      take(command, fate);
    }
    if (fusing) {
      fusing = false;
      fuser.endRun(gathered);
    }
    if (taking > 0) {
      queue.free(taking, freedBytes);
    }
    if (meters != null && taken > 0) {
      meters.batch(taken, bytes);
    }
    return taken;
  }

  private void take(EncodedCommand<?, ?, ?> command, Fate fate) {
    usesTransactions |= command.traits().isOfTransaction() || command.isMember();
    try {
      if (usesTransactions && fate == Fate.FUSED) {
        transaction.take(command, each -> pass(each, fate));
      } else if (command.isAbandoned()) {
        command.drop();
      } else {
        pass(command, fate);
      }
    } catch (Throwable e) {
      // A command that cannot be encoded, or causes an Error, fails alone: an exception here would
      // leave the queue without a consumer.
      command.completeExceptionally(e);
    }
  }

  private void pass(EncodedCommand<?, ?, ?> command, Fate fate) {
    if (command.isDelayed()) {
      expiry.trackDelayed(command);
    }
    switch (fate) {
      case FUSED -> fuse(command);
      case REJECTED ->
          command.completeExceptionally(
              new RedisException("Currently not connected. Commands are rejected."));
      case UNCHANGED -> gathered.add(command);
    }
  }

  private void fuse(EncodedCommand<?, ?, ?> command) {
    if (!fusing && command.isFusible() && gathered.isEmpty() && isEmpty()) {
      // There is nothing to fuse it with.
      gathered.add(command);
      return;
    }
    fusing = true;
    if (scriptTextsDue && fuser.mayInsertBefore(command) && command.traits().callsScript()) {
      scriptTextsDue = false;
      scriptTexts.commands().forEach(text -> fuser.add(text, gathered));
    }
    fuser.add(command, gathered);
  }

  /**
   * Takes all commands that wait in another assembler, to write them ahead of the queue. Called by
   * the consumer of the other one.
   */
  void takeOver(BatchAssembler other) {
    if (other.replayDue) {
      other.dropExcluded();
    }
    other.takeAll(again::add);
  }

  /** Hands all waiting commands to Lettuce. */
  void handOver() {
    takeAll(this::handOver);
  }

  private void takeAll(Consumer<EncodedCommand<?, ?, ?>> taker) {
    for (EncodedCommand<?, ?, ?> command = again.poll(); command != null; command = again.poll()) {
      taker.accept(command);
    }
    for (EncodedCommand<?, ?, ?> command = queue.poll(); command != null; command = queue.poll()) {
      queue.free(1, command.requestBytes());
      taker.accept(command);
    }
  }

  private void handOver(EncodedCommand<?, ?, ?> command) {
    if (command.isMember() || command.traits().isAlone()) {
      // Another node has not seen its MULTI.
      WrittenTransaction.fail(command);
    } else if (!command.isAbandoned()) {
      try {
        lettuce.write(command);
      } catch (RuntimeException e) {
        command.completeExceptionally(e);
      }
    }
  }
}
