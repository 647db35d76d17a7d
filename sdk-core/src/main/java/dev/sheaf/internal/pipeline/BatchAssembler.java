// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.fusion.RunFuser;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is written next on a connection: takes it, in its order and within the limits of a batch,
 * from the commands that are to be sent again and then from the queue, and fuses it.
 *
 * <p>Confined to the one consumer of the queue, but for {@link #again}.
 */
final class BatchAssembler {

  /** What becomes of a command that is taken. */
  enum Fate {
    /** There is a socket for it. */
    FUSED,
    /** There is none, and what is called meanwhile is to fail. */
    REJECTED,
    /** It is left to Lettuce as it is. */
    UNCHANGED
  }

  private final BatchingOptions options;
  private final PendingQueue queue;
  private final RunFuser fuser;
  private final ScriptTexts scriptTexts;
  private final CommandExpiry expiry;
  private final @Nullable BatchMeters meters;

  /** Commands to write again, ahead of the queue. */
  private final Deque<EncodedCommand<?, ?, ?>> again = new ConcurrentLinkedDeque<>();

  private final List<RedisCommand<?, ?, ?>> gathered = new ArrayList<>();

  /** Whether the last command that was taken has to be alone on its way. */
  private boolean tookSuspect;

  /** Whether some of what is being gathered went to the fuser. */
  private boolean fusing;

  /** Whether no script was called on this socket yet. */
  private boolean scriptTextsDue;

  BatchAssembler(
      BatchingOptions options,
      PendingQueue queue,
      RunFuser fuser,
      ScriptTexts scriptTexts,
      CommandExpiry expiry,
      @Nullable BatchMeters meters) {
    this.options = options;
    this.queue = queue;
    this.fuser = fuser;
    this.scriptTexts = scriptTexts;
    this.expiry = expiry;
    this.meters = meters;
  }

  /** There is a new socket: what was learnt on the old one is void. */
  void begin() {
    fuser.reset();
    scriptTextsDue = true;
  }

  /** Has commands written again, before all others. Called before the next batch is gathered. */
  void again(List<EncodedCommand<?, ?, ?>> commands) {
    for (int i = commands.size() - 1; i >= 0; i--) {
      again.addFirst(commands.get(i));
    }
  }

  /** Whether something is to be written again. */
  boolean hasAgain() {
    return !again.isEmpty();
  }

  /** Whether what was taken last, or is the next, is to be alone on its way. */
  boolean isAlone() {
    return tookSuspect || isSuspectNext();
  }

  private boolean isSuspectNext() {
    EncodedCommand<?, ?, ?> first = again.peek();
    return first != null && isSuspect(first);
  }

  /** Whether a command may be why connections are lost, and so nothing is to travel with it. */
  private static boolean isSuspect(EncodedCommand<?, ?, ?> command) {
    return command.losses() >= Replay.LOSSES_TOGETHER;
  }

  /** Whether nothing waits. */
  boolean isEmpty() {
    return again.isEmpty() && queue.isEmpty();
  }

  /** Calls back for each command that waits, in order. */
  void forEachWaiting(Consumer<EncodedCommand<?, ?, ?>> action) {
    again.forEach(action);
    queue.forEach(action);
  }

  /**
   * Gathers the next batch, to be found in {@link #gathered}.
   *
   * @param limit how many commands at most
   * @return how many commands were taken, whatever became of them
   */
  int gather(int limit, Fate fate) {
    int taken = 0;
    int taking = 0;
    long bytes = 0;
    long freedBytes = 0;
    boolean afterAsking = false;
    tookSuspect = false;
    while ((taken < limit && bytes < options.maxBatchBytes() && !tookSuspect) || afterAsking) {
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
      tookSuspect = isSuspect(command);
      // ASKING concerns the very next command, so both leave in one write.
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
    if (command.isAbandoned()) {
      command.drop();
      return;
    }
    try {
      if (command.isDelayed()) {
        expiry.leavesLate(command);
      }
      switch (fate) {
        case FUSED -> fuse(command);
        case REJECTED ->
            command.completeExceptionally(
                new RedisException("Currently not connected. Commands are rejected."));
        case UNCHANGED -> gathered.add(command);
      }
    } catch (Throwable e) {
      // A command of the user's own that encodes no arguments as it should fails alone, and so does
      // what meets an Error: an exception here would leave the queue without a consumer.
      command.completeExceptionally(e);
    }
  }

  private void fuse(EncodedCommand<?, ?, ?> command) {
    if (!fusing && command.fusible() != null && gathered.isEmpty() && isEmpty()) {
      // By itself: there is nothing to fuse it with.
      gathered.add(command);
      return;
    }
    fusing = true;
    if (scriptTextsDue && fuser.mayInsert() && command.traits().callsScript()) {
      scriptTextsDue = false;
      scriptTexts.commands().forEach(text -> fuser.add(text, gathered));
    }
    fuser.add(command, gathered);
  }

  /** What was gathered, until {@link #clear}. */
  List<RedisCommand<?, ?, ?>> gathered() {
    return gathered;
  }

  /** What was gathered is written. */
  void clear() {
    gathered.clear();
  }

  /** Takes all that waits, as it is. */
  List<EncodedCommand<?, ?, ?>> takeAll() {
    int taken = 0;
    long bytes = 0;
    List<EncodedCommand<?, ?, ?>> waiting = new ArrayList<>();
    EncodedCommand<?, ?, ?> command;
    while ((command = again.poll()) != null) {
      waiting.add(command);
    }
    while ((command = queue.poll()) != null) {
      waiting.add(command);
      taken++;
      bytes += command.requestBytes();
    }
    queue.free(taken, bytes);
    return waiting;
  }
}
