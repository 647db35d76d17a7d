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
 * Keys that a loop is about to read, and their replies, each to be handed out once. They are asked
 * for in one write with the call of the key before them, so they are there when that is answered.
 *
 * <p>Confined to the thread of the loop, but for its end.
 */
final class LoopWindow<K> {

  private final WriteClock writes;
  private final List<K> keys;
  private final int[] indexes;
  private final long maxAgeNanos;
  private final boolean declared;
  private final Consumer<? super LoopWindow<K>> whenClosed;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** The cell of each key that has not been handed out and is not void. */
  private final int[] cells;

  private final int[] readings;
  private final @Nullable Result<?>[] results;

  /** What was asked for and has not been looked at; null after that. */
  private @Nullable KeyReads<?> asked;

  private volatile long bornNanos = System.nanoTime();
  private int commonReading;
  private int claimReading;
  private int remaining;
  private int requestedKeys;
  private int usedReplies;
  private long replyBytes;

  /**
   * Creates a window; nothing is asked for yet.
   *
   * @param reads of the keys, in their order
   * @param indexes where the keys stand in their loop, in ascending order
   * @param maxAge how long a reply may wait to be handed out
   * @param declared whether the user has asked for it. If not, it is void as soon as the thread may
   *     own something, as a lock, and its age counts from the request on
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

  /** Asks for all keys, and waits for nothing. */
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

  /** The call that it went out with is answered. */
  void answered() {
    if (declared) {
      bornNanos = System.nanoTime(); // A slow server must not make such windows useless.
    }
  }

  /**
   * Hands out the reply for a key, once. Waits for it no longer than it may be old.
   *
   * @param index where the key stands in its loop
   * @return null if it has to be asked of the server
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
    // An error is fetched anew, with the caller's own stack.
    return handsOut ? result : null;
  }

  private boolean isCurrent() {
    return !isTooOld()
        && writes.commonReading() == commonReading
        && (declared || writes.claimReading() == claimReading);
  }

  /** Looks at the replies; false if the thread is interrupted. */
  private boolean collect() {
    KeyReads<?> reads = asked;
    if (reads == null) {
      return true;
    }
    try {
      // Those of another node may not be there yet. Those that are not by then have failed.
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

  /** What it holds for a key is older than what its reader has seen, or is about to see. */
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

  /** It holds nothing any more. May be called again, and by any thread once it is too old. */
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

  /** Whether the replies have waited so long that they are not handed out any more. */
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

  /** The mean size of the replies as they travelled, 0 if none was looked at. */
  long bytesPerKey() {
    return requestedKeys == 0 ? 0 : replyBytes / requestedKeys;
  }
}
