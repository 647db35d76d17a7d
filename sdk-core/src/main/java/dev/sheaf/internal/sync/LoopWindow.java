// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.Result.Failure;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.keys.KeyReads;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A window of keys that a loop is about to read, with their replies, each returned once. They are
 * requested in one write with the call of the preceding key, and so arrive with its reply.
 *
 * <p>Confined to the thread of the loop, except for its end.
 */
final class LoopWindow<K> {

  private final WriteClock writes;
  private final List<K> keys;
  private final int[] indexes;
  private final long maxAgeNanos;
  private final boolean declared;
  private final Consumer<? super LoopWindow<K>> whenClosed;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** The cell of each key whose reply is still valid and was not returned. */
  private final int[] cells;

  private final int[] readings;
  private final @Nullable Result<?>[] results;

  /** The pending reads; null once their replies were collected. */
  private @Nullable KeyReads<?> asked;

  private volatile long bornNanos = System.nanoTime();
  private int commonReading;
  private int claimReading;
  private int remaining;
  private int requestedKeys;
  private int usedReplies;
  private long replyBytes;

  /**
   * Creates a window without sending requests.
   *
   * @param reads the reads of the keys, in order
   * @param indexes the indexes of the keys in their loop, ascending
   * @param maxAge how long a reply may be used
   * @param declared whether the loop was declared. If not, the window becomes invalid when the
   *     thread may have acquired a lock, and its age counts from the request
   */
  LoopWindow(
      WriteClock writes,
      KeyReads<?> reads,
      List<K> keys,
      int[] indexes,
      Duration maxAge,
      boolean declared,
      Consumer<? super LoopWindow<K>> whenClosed) {
    this.writes = writes;
    this.asked = reads;
    this.keys = keys;
    this.indexes = indexes;
    this.maxAgeNanos = maxAge.toNanos();
    this.declared = declared;
    this.whenClosed = whenClosed;
    this.cells = new int[indexes.length];
    this.readings = new int[indexes.length];
    this.results = new Result<?>[indexes.length];
  }

  /** Requests all keys. Does not wait. */
  void request() {
    KeyReads<?> reads = Objects.requireNonNull(asked);
    commonReading = writes.commonReading();
    claimReading = writes.claimReading();
    for (int i = 0; i < cells.length; i++) {
      cells[i] = reads.cell(i);
      if (cells[i] != KeyReads.NO_CELL) {
        readings[i] = writes.reading(cells[i]);
        remaining++;
      }
    }
    requestedKeys = remaining;
    bornNanos = System.nanoTime();
    reads.send();
  }

  /** Called when the call it was sent with has been answered. */
  void answered() {
    if (declared) {
      bornNanos = System.nanoTime(); // A slow server must not make such windows useless.
    }
  }

  /**
   * Takes the reply for a key, once. Waits for it at most as long as it may be used.
   *
   * @param index the index of the key in its loop
   * @return null if the server must be asked
   */
  @Nullable Result<?> take(int index, Object key) {
    int at = Arrays.binarySearch(indexes, index);
    if (isClosed()
        || at < 0
        || cells[at] == KeyReads.NO_CELL
        || !Objects.deepEquals(key, keys.get(at))) { // An array is the key that its content is.
      return null;
    }
    if (!isCurrent() || !collect() || !isCurrent()) {
      close();
      return null;
    }
    Result<?> result = results[at];
    boolean current = writes.reading(cells[at]) == readings[at];
    boolean handsOut = current && result != null && !(result instanceof Failure<?>);
    usedReplies += handsOut ? 1 : 0;
    remove(at);
    // An error is requested again, to have the caller's own stack.
    return handsOut ? result : null;
  }

  private boolean isCurrent() {
    return !isTooOld()
        && writes.commonReading() == commonReading
        && (declared || writes.claimReading() == claimReading);
  }

  /** Collects the replies; false if the thread is interrupted. */
  private boolean collect() {
    KeyReads<?> reads = asked;
    if (reads == null) {
      return true;
    }
    try {
      // Replies of another node may be missing. Those still missing at the deadline have failed.
      reads.outcomes().awaitInterruptibly(Duration.ofNanos(maxAgeNanos), bornNanos + maxAgeNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The call that is about to be made says so.
      return false;
    }
    asked = null;
    replyBytes = reads.replyBytes();
    for (int i = 0; i < results.length; i++) {
      results[i] = cells[i] == KeyReads.NO_CELL ? null : reads.result(i);
    }
    return true;
  }

  private void remove(int at) {
    cells[at] = KeyReads.NO_CELL;
    results[at] = null;
    if (--remaining == 0) {
      close();
    }
  }

  /** Drops the reply for a key, because its reader has seen or is about to see a newer value. */
  void forget(int cell) {
    for (int i = 0; i < cells.length && !isClosed(); i++) {
      if (cells[i] == cell) {
        remove(i);
      }
    }
  }

  /** The cell of the key at an index of its loop. */
  int cellOf(int index) {
    int at = Arrays.binarySearch(indexes, index);
    return at < 0 ? KeyReads.NO_CELL : cells[at];
  }

  /** Closes the window. Idempotent; any thread can call it once the window is too old. */
  void close() {
    if (closed.compareAndSet(false, true)) {
      asked = null;
      Arrays.fill(results, null);
      whenClosed.accept(this);
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  /** Whether the replies are too old to be used. */
  boolean isTooOld() {
    return System.nanoTime() - bornNanos > maxAgeNanos;
  }

  int lastIndex() {
    return indexes[indexes.length - 1];
  }

  /** Whether at least half of its replies were used. */
  boolean paid() {
    return 2 * usedReplies >= requestedKeys && requestedKeys > 0;
  }

  int requestedKeys() {
    return requestedKeys;
  }

  int usedReplies() {
    return usedReplies;
  }

  /** The mean size of the replies as sent by the server; 0 if none was collected. */
  long bytesPerKey() {
    return requestedKeys == 0 ? 0 : replyBytes / requestedKeys;
  }
}
