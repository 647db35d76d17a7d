// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.Result.Failure;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.keys.KeyReads;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a loop is about to read, and, once the first was asked for, their replies: of a
 * loop that was declared, or of one that was learned.
 *
 * <p>Confined to the thread of the loop.
 *
 * @param <R> the type of a reply
 */
final class LoopWindow<K, R> {

  private final KeyLoops<K, ?> loops;
  private final List<@Nullable K> keys;
  private final Function<? super List<K>, ? extends KeyReads<R>> reads;
  private final long maxAgeNanos;
  private final int[] cells;
  private final int[] readings;
  private final @Nullable Result<R>[] results;

  /** What was asked for and has not been looked at; null before and after. */
  private @Nullable KeyReads<R> asked;

  private boolean fetched;
  private boolean dropped;
  private long bornNanos;
  private int commonReading;
  private int claimReading;
  private int fetchedKeys;
  private long fetchedBytes;
  private int usedValues;

  /**
   * Creates a window; nothing is read yet.
   *
   * @param keys a key for each iteration, or null where there is none to read ahead
   * @param reads makes the reads of some keys
   * @param maxAge how long a reply may wait to be handed out
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  LoopWindow(
      KeyLoops<K, ?> loops,
      List<@Nullable K> keys,
      Function<? super List<K>, ? extends KeyReads<R>> reads,
      Duration maxAge) {
    this.loops = loops;
    this.keys = keys;
    this.reads = reads;
    this.maxAgeNanos = maxAge.toNanos();
    this.cells = new int[keys.size()];
    this.readings = new int[keys.size()];
    this.results = new Result[keys.size()];
  }

  int size() {
    return keys.size();
  }

  boolean hasKey(int index, Object key) {
    return Objects.deepEquals(key, keys.get(index)); // An array is the key that its content is.
  }

  /** Whether the values were asked for and at least half of them were used. */
  boolean paid() {
    return fetched && !dropped && 2 * usedValues >= fetchedKeys;
  }

  boolean isFetched() {
    return fetched;
  }

  /** Whether the values have waited so long that they are not handed out any more. */
  boolean isTooOld() {
    return fetched && System.nanoTime() - bornNanos > maxAgeNanos;
  }

  int usedValues() {
    return usedValues;
  }

  /** How many keys were asked for. */
  int fetchedKeys() {
    return fetchedKeys;
  }

  /** The mean size of the values as they travelled, 0 if nothing came. */
  long bytesPerKey() {
    return fetchedKeys == 0 ? 0 : fetchedBytes / fetchedKeys;
  }

  /**
   * Hands out the value of one iteration, once. Reads this and all later keys of the window if that
   * was not done, and waits for them.
   *
   * @return null if it has to be asked of the server by itself
   */
  @Nullable Result<R> take(int index) {
    boolean first = !fetched && !dropped;
    if (first) {
      fetch(index);
    }
    Result<R> result = results[index];
    results[index] = null;
    if (result == null || !isCurrent(index)) {
      return null;
    }
    if (result instanceof Failure<R> failure) {
      // A time-out is this caller's own; any other error is fetched anew, with this caller's stack.
      return first && failure.error() instanceof RedisCommandTimeoutException ? result : null;
    }
    usedValues++;
    return result;
  }

  /**
   * Hands out a reply that was {@link #request requested}, once, unless the thread may own
   * something since, as a lock. Waits for it no longer than it may be old, which counts from the
   * request.
   *
   * @return null if it has to be asked of the server by itself
   */
  @Nullable Result<R> takeRequested(int index) {
    if (dropped || isTooOld() || loops.writes().claimReading() != claimReading) {
      drop();
      return null;
    }
    KeyReads<R> awaited = asked;
    if (awaited != null) {
      try {
        // Those that are not there by then have failed.
        awaited
            .outcomes()
            .awaitInterruptibly(Duration.ofNanos(maxAgeNanos), bornNanos + maxAgeNanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // The call that is about to be made says so.
        drop();
        return null;
      }
      collect(0, awaited);
    }
    return take(index);
  }

  /** A value that is not to be handed out any more, because its reader has seen a later one. */
  void forget(int index) {
    cells[index] = KeyReads.NO_CELL;
    results[index] = null;
  }

  private boolean isCurrent(int index) {
    WriteClock writes = loops.writes();
    if (writes.commonReading() != commonReading || isTooOld()) {
      drop();
    }
    return !dropped
        && cells[index] != KeyReads.NO_CELL
        && writes.reading(cells[index]) == readings[index];
  }

  /** Later keys of this window are asked of the server. */
  void drop() {
    dropped = true;
    asked = null;
    for (int i = 0; i < results.length; i++) {
      results[i] = null;
    }
  }

  private void fetch(int from) {
    KeyReads<R> sent = request(from);
    if (sent == null) {
      return;
    }
    long deadlineNanos = bornNanos + loops.timeout().toNanos();
    try {
      sent.outcomes().await(loops.timeout(), deadlineNanos);
    } catch (RedisCommandInterruptedException e) {
      drop();
      throw e;
    }
    // Not from the request on: a slow server must not make windows useless.
    bornNanos = System.nanoTime();
    collect(from, sent);
  }

  /**
   * Asks for the keys from an index on, and waits for nothing.
   *
   * @return what was sent; null in a transaction
   */
  @Nullable KeyReads<R> request(int from) {
    if (loops.isInTransaction()) {
      drop();
      return null;
    }
    WriteClock writes = loops.writes();
    commonReading = writes.commonReading();
    claimReading = writes.claimReading();
    List<K> wanted = new ArrayList<>(keys.size() - from);
    for (int i = from; i < keys.size(); i++) {
      K key = keys.get(i);
      if (key != null) {
        wanted.add(key);
      }
    }
    KeyReads<R> bulk = reads.apply(wanted);
    int read = 0;
    for (int i = from; i < keys.size(); i++) {
      cells[i] = keys.get(i) == null ? KeyReads.NO_CELL : bulk.cell(read++);
      if (cells[i] != KeyReads.NO_CELL) {
        readings[i] = writes.reading(cells[i]);
        fetchedKeys++;
      }
    }
    fetched = true;
    bornNanos = System.nanoTime();
    asked = bulk;
    bulk.send();
    return bulk;
  }

  private void collect(int from, KeyReads<R> bulk) {
    asked = null;
    fetchedBytes = bulk.replyBytes();
    int read = 0;
    for (int i = from; i < keys.size(); i++) {
      if (keys.get(i) != null) {
        Result<R> result = bulk.result(read++);
        // What could not be encoded is for its reader to meet, with a stack of its own.
        results[i] = cells[i] == KeyReads.NO_CELL ? null : result;
      }
    }
  }
}
