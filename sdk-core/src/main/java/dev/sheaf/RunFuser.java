package dev.sheaf;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups the commands of a connection, in their order, into what is written: a run of GETs becomes
 * MGETs, everything else stays itself.
 *
 * <p>A run ends at the first other command, so no GET ever passes a write. On a cluster only keys
 * of one slot may share an MGET, even if one node owns both slots; the rest stay plain GETs in the
 * same write. Inside MULTI nothing is fused.
 *
 * <p>Confined to the one drain at a time; {@link FusedGet.Resender} is called on the event loop.
 */
final class RunFuser implements FusedGet.Resender {

  private final BatchingOptions options;
  private final boolean cluster;
  private final @Nullable BatchMeters meters;
  private final Consumer<List<RedisCommand<?, ?, ?>>> writeAgain;
  private final List<Outgoing<?, ?, ?>> run = new ArrayList<>();
  private volatile FusionGauge gauge = new FusionGauge();
  private volatile OutstandingReads outstanding = new OutstandingReads();
  private boolean inTransaction;

  /** ASKING concerns the very next command, so nothing may come between. */
  private boolean afterAsking;

  RunFuser(
      BatchingOptions options,
      boolean cluster,
      @Nullable BatchMeters meters,
      Consumer<List<RedisCommand<?, ?, ?>>> writeAgain) {
    this.options = options;
    this.cluster = cluster;
    this.meters = meters;
    this.writeAgain = writeAgain;
  }

  /** A new connection: what was learnt and begun on the old one is void. */
  void reset() {
    gauge = new FusionGauge();
    outstanding = new OutstandingReads();
    inTransaction = false;
    afterAsking = false;
  }

  void add(Outgoing<?, ?, ?> command, List<RedisCommand<?, ?, ?>> outbox) {
    if (command.isGet() && !inTransaction && options.fusion()) {
      run.add(command);
      if (run.size() == options.maxFusedKeys()) {
        endRun(outbox);
      }
      return;
    }
    endRun(outbox);
    // Before MULTI too: a question behind it would be part of the transaction, and no answer.
    if (!inTransaction && !afterAsking && !ReplaySafety.isSafe(command)) {
      outbox.addAll(outstanding.checksBefore(command));
    }
    observeTransaction(command.getType());
    afterAsking = command.getType() == CommandType.ASKING;
    outbox.add(command);
  }

  /** Whether a command may come between the last one and the next: not in MULTI or after ASKING. */
  boolean mayInsert() {
    return !inTransaction && !afterAsking;
  }

  private void observeTransaction(ProtocolKeyword type) {
    if (type == CommandType.MULTI) {
      inTransaction = true;
    } else if (type == CommandType.EXEC || type == CommandType.DISCARD) {
      inTransaction = false;
    }
  }

  /** Moves the run gathered so far to the outbox. */
  void endRun(List<RedisCommand<?, ?, ?>> outbox) {
    if (run.isEmpty()) {
      return;
    }
    if (run.size() == 1 || !gauge.mayFuse()) {
      outbox.addAll(run);
    } else if (cluster) {
      fuseBySlot(outbox);
    } else {
      depart(new FusedGet(new ArrayList<>(run), this), outbox);
    }
    run.clear();
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
    List<Outgoing<?, ?, ?>> sameSlot = new ArrayList<>(end - start);
    for (int i = start; i < end; i++) {
      sameSlot.add(run.get((int) slotAndIndex[i]));
    }
    depart(new FusedGet(sameSlot, this), outbox);
  }

  private void depart(FusedGet fused, List<RedisCommand<?, ?, ?>> outbox) {
    outstanding.add(fused);
    if (meters != null) {
      meters.fused(fused.size(), fused.distinctKeys());
    }
    outbox.add(fused);
  }

  @Override
  public void answered(FusedGet fused) {
    outstanding.remove(fused);
  }

  @Override
  public void unfuse(List<Outgoing<?, ?, ?>> gets, String error) {
    if (meters != null) {
      meters.unfused(gets.size());
    }
    if (error.startsWith("NOPERM")) {
      gauge.refused();
    }
    List<RedisCommand<?, ?, ?>> again = new ArrayList<>(gets.size());
    for (Outgoing<?, ?, ?> get : gets) {
      if (!get.isAbandoned()) {
        again.add(get);
      }
    }
    sendAgain(again);
  }

  @Override
  public void checkNils(List<Outgoing<?, ?, ?>> unchecked, int nils, int keys) {
    gauge.observe(nils, keys);
    if (meters != null) {
      meters.nilChecks(nils);
    }
    List<RedisCommand<?, ?, ?>> checks = new ArrayList<>(unchecked.size());
    for (Outgoing<?, ?, ?> get : unchecked) {
      if (!get.isAbandoned()) {
        checks.add(new NilCheck(get));
      }
    }
    sendAgain(checks);
  }

  private void sendAgain(List<RedisCommand<?, ?, ?>> commands) {
    if (!commands.isEmpty()) {
      writeAgain.accept(commands);
    }
  }
}
