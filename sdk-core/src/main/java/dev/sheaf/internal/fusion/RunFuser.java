// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fuses runs of reads on one connection: a run of GETs becomes MGETs, and a run of HGETs of one
 * hash an HMGET. All other commands stay as they are.
 *
 * <p>A run ends at the first other command, so no read overtakes a write. On a cluster, only keys
 * of one slot can share an MGET, even if one node owns both slots; the rest stay GETs in the same
 * write. Nothing is fused inside of MULTI.
 *
 * <p>Confined to one drain at a time. Callbacks of fused reads run on the event loop.
 */
public final class RunFuser implements FusedGet.Resender {

  private final BatchingOptions options;
  private final boolean cluster;
  private final @Nullable FusionCounts counts;
  private final Rewriter rewriter;
  private final Runnable delivered;
  private final List<EncodedCommand<?, ?, ?>> run = new ArrayList<>();
  private volatile FusionGauge gauge = new FusionGauge();
  private volatile HashFusion hashes = new HashFusion();
  private volatile OutstandingReads outstanding = new OutstandingReads();

  /** How many commands other than reads have been sent. */
  private long writes;

  /** ASKING applies to the next command only, so nothing may be inserted after it. */
  private boolean afterAsking;

  /** Sends the commands of a fused read again. */
  public interface Rewriter {
    /**
     * Sends commands at once, past the queue.
     *
     * @param firstNanos when the fused read was sent, by System.nanoTime
     */
    void write(List<RedisCommand<?, ?, ?>> commands, long firstNanos);
  }

  /**
   * For one connection.
   *
   * @param delivered called on the event loop after each value of a fused read
   */
  public RunFuser(
      BatchingOptions options,
      boolean cluster,
      @Nullable FusionCounts counts,
      Rewriter rewriter,
      Runnable delivered) {
    this.options = options;
    this.cluster = cluster;
    this.counts = counts;
    this.rewriter = rewriter;
    this.delivered = delivered;
  }

  /** Decides whether GETs are sent as MGET. */
  public FusionGauge gauge() {
    return gauge;
  }

  /** Starts again for a new socket. */
  public void reset() {
    gauge = new FusionGauge();
    hashes = new HashFusion();
    outstanding = new OutstandingReads();
    afterAsking = false;
  }

  public void add(EncodedCommand<?, ?, ?> command, List<RedisCommand<?, ?, ?>> outbox) {
    if (command.isFusible() && mayFuse(command)) {
      addToRun(command, outbox);
      return;
    }
    endRun(outbox);
    if (!command.traits().isRead()) {
      writes++;
      // Before MULTI too: a check after it would be part of the transaction.
      if (!isInTransaction(command) && !afterAsking) {
        outbox.addAll(outstanding.checksBefore(command));
      }
    }
    afterAsking = command.getType() == CommandType.ASKING;
    outbox.add(command);
  }

  private boolean mayFuse(EncodedCommand<?, ?, ?> read) {
    return isOfHash(read) ? options.hashFusion() : options.fusion();
  }

  private static boolean isOfHash(EncodedCommand<?, ?, ?> read) {
    return read.traits().fused() == CommandType.HMGET;
  }

  private void addToRun(EncodedCommand<?, ?, ?> read, List<RedisCommand<?, ?, ?>> outbox) {
    if (!run.isEmpty() && !FusedRead.fuse(read, run.get(0))) {
      endRun(outbox);
    }
    run.add(read);
    if (run.size() == options.maxFusedKeys()) {
      endRun(outbox);
    }
  }

  /** Whether a command can be inserted before this one: not inside of MULTI or after ASKING. */
  public boolean mayInsertBefore(EncodedCommand<?, ?, ?> command) {
    return !isInTransaction(command) && !afterAsking;
  }

  private static boolean isInTransaction(EncodedCommand<?, ?, ?> command) {
    return command.isMember()
        || command.traits().is(CommandType.EXEC)
        || command.traits().is(CommandType.DISCARD);
  }

  /** Ends the current run and adds it to the output. */
  public void endRun(List<RedisCommand<?, ?, ?>> outbox) {
    if (run.isEmpty()) {
      return;
    }
    if (run.size() == 1) {
      outbox.add(run.get(0));
    } else if (isOfHash(run.get(0))) {
      fuseHash(outbox);
    } else if (!gauge.decide()) {
      outbox.addAll(run);
    } else if (cluster) {
      fuseBySlot(outbox);
    } else {
      depart(new FusedGet(new ArrayList<>(run), this), outbox);
    }
    run.clear();
  }

  private void fuseHash(List<RedisCommand<?, ?, ?>> outbox) {
    if (hashes.isAllowed()) {
      FusedHashRead fused = new FusedHashRead(new ArrayList<>(run), writes, this);
      count(fused);
      outbox.add(fused);
      return;
    }
    outbox.addAll(run);
    RedisCommand<?, ?, ?> question = hashes.ask(run.get(0));
    if (question != null) {
      outbox.add(question);
    }
  }

  private void fuseBySlot(List<RedisCommand<?, ?, ?>> outbox) {
    long[] slotAndIndex = new long[run.size()];
    for (int i = 0; i < slotAndIndex.length; i++) {
      slotAndIndex[i] = (long) run.get(i).slot() << Integer.SIZE | i;
    }
    Arrays.sort(slotAndIndex);
    int start = 0;
    for (int end = 1; end <= slotAndIndex.length; end++) {
      if (end == slotAndIndex.length
          || slotAndIndex[end] >> Integer.SIZE != slotAndIndex[start] >> Integer.SIZE) {
        fuse(slotAndIndex, start, end, outbox);
        start = end;
      }
    }
  }

  private void fuse(long[] slotAndIndex, int start, int end, List<RedisCommand<?, ?, ?>> outbox) {
    if (end - start == 1) {
      outbox.add(run.get((int) slotAndIndex[start]));
      return;
    }
    List<EncodedCommand<?, ?, ?>> sameSlot = new ArrayList<>(end - start);
    for (int i = start; i < end; i++) {
      sameSlot.add(run.get((int) slotAndIndex[i]));
    }
    depart(new FusedGet(sameSlot, this), outbox);
  }

  private void depart(FusedGet fused, List<RedisCommand<?, ?, ?>> outbox) {
    outstanding.add(fused);
    count(fused);
    outbox.add(fused);
  }

  private void count(FusedRead fused) {
    if (counts != null) {
      counts.fused(fused.kind(), fused.size(), fused.distinctItems());
    }
  }

  @Override
  public void answered(FusedGet fused) {
    outstanding.remove(fused);
  }

  @Override
  public void delivered() {
    delivered.run();
  }

  @Override
  public void unfuse(FusedGet fused, List<EncodedCommand<?, ?, ?>> gets, String error) {
    if (error.startsWith("NOPERM")) {
      gauge.refused();
    }
    sendEach(fused, gets);
  }

  /**
   * Sends the HGETs of a refused HMGET one by one.
   *
   * @return false if that is too late, because a later write has been sent already
   */
  boolean unfuse(FusedHashRead fused, String error) {
    hashes.refused(error);
    if (fused.writesBefore() != writes) {
      return false;
    }
    sendEach(fused, fused.reads());
    return true;
  }

  private void sendEach(FusedRead fused, List<EncodedCommand<?, ?, ?>> reads) {
    if (counts != null) {
      counts.unfused(fused.kind(), reads.size());
    }
    List<RedisCommand<?, ?, ?>> again = new ArrayList<>(reads.size());
    for (EncodedCommand<?, ?, ?> read : reads) {
      if (read.isAbandoned()) {
        read.drop();
      } else {
        again.add(read);
      }
    }
    sendAgain(again, fused);
  }

  @Override
  public void checkNils(FusedGet fused, List<EncodedCommand<?, ?, ?>> unchecked, int nils) {
    gauge.observe(nils, fused.size());
    if (counts != null) {
      counts.nilChecks(nils);
    }
    List<RedisCommand<?, ?, ?>> checks = new ArrayList<>(unchecked.size());
    for (EncodedCommand<?, ?, ?> get : unchecked) {
      if (get.isAbandoned()) {
        // Its reply is ignored.
        get.complete();
      } else {
        checks.add(new NilCheck(get, fused.beganNanos()));
      }
    }
    sendAgain(checks, fused);
  }

  private void sendAgain(List<RedisCommand<?, ?, ?>> commands, FusedRead fused) {
    if (!commands.isEmpty()) {
      rewriter.write(commands, fused.beganNanos());
    }
  }
}
