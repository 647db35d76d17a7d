package dev.sheaf;

import dev.sheaf.Result.Failure;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a loop is about to read, and, once the first was asked for, their values.
 *
 * <p>Confined to the thread of the loop.
 */
final class LoopWindow<K, V> {

  private final KeyLoops<K, V> loops;
  private final List<@Nullable K> keys;
  private final int[] cells;
  private final int[] readings;

  /** How many keys before it are equal: the bulk read that has it. */
  private final int[] roundOf;

  private final @Nullable Result<V>[] results;

  private boolean fetched;
  private boolean dropped;
  private long fetchedAtNanos;
  private int commonReading;
  private int fetchedKeys;
  private long fetchedBytes;
  private int usedValues;

  /**
   * Creates a window; nothing is read yet.
   *
   * @param keys a key for each iteration, or null where there is none to read ahead
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  LoopWindow(KeyLoops<K, V> loops, List<@Nullable K> keys) {
    this.loops = loops;
    this.keys = keys;
    this.cells = new int[keys.size()];
    this.readings = new int[keys.size()];
    this.roundOf = new int[keys.size()];
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
    return fetched && System.nanoTime() - fetchedAtNanos > KeyLoops.MAX_VALUE_AGE.toNanos();
  }

  int usedValues() {
    return usedValues;
  }

  /** The mean size of the values as they travelled, 0 if nothing came. */
  long bytesPerKey() {
    return fetchedKeys == 0 ? 0 : fetchedBytes / fetchedKeys;
  }

  /**
   * Hands out the value of one iteration, once. Reads this and all later keys of the window if that
   * was not done.
   *
   * @return null if it has to be asked of the server by itself
   */
  @Nullable Result<V> take(int index) {
    boolean first = !fetched && !dropped;
    if (first) {
      fetch(index);
    }
    Result<V> result = results[index];
    results[index] = null;
    if (result == null || !isCurrent(index)) {
      return null;
    }
    if (result instanceof Failure<V> failure) {
      // A time-out is this caller's own; any other error is fetched anew, with this caller's stack.
      return first && failure.error() instanceof RedisCommandTimeoutException ? result : null;
    }
    usedValues++;
    return result;
  }

  private boolean isCurrent(int index) {
    if (loops.writes().commonReading() != commonReading || isTooOld()) {
      drop();
    }
    return !dropped && loops.writes().reading(cells[index]) == readings[index];
  }

  /** Later keys of this window are asked of the server. */
  void drop() {
    dropped = true;
    for (int i = 0; i < results.length; i++) {
      results[i] = null;
    }
  }

  private void fetch(int from) {
    if (loops.isInTransaction()) {
      drop();
      return;
    }
    WriteClock writes = loops.writes();
    commonReading = writes.commonReading();
    for (int i = from; i < keys.size(); i++) {
      K key = keys.get(i);
      cells[i] = key == null ? KeyLoops.NO_CELL : loops.cellOf(key);
      if (cells[i] != KeyLoops.NO_CELL) {
        readings[i] = writes.reading(cells[i]);
        fetchedKeys++;
      }
    }
    fetched = true;
    try {
      receive(from, send(from), System.nanoTime() + loops.timeout().toNanos());
      // Not from the request on: a slow server must not make windows useless.
      fetchedAtNanos = System.nanoTime();
    } catch (RedisCommandInterruptedException e) {
      drop();
      throw e;
    }
  }

  /**
   * Sends the reads in one go. Each bulk read takes a key once; a repeated key goes into a further
   * one, so that every iteration gets a value object of its own, as a GET would give it.
   */
  private List<BulkGet<K, V>> send(int from) {
    List<List<K>> rounds = new ArrayList<>();
    BitSet cellsSeen = new BitSet();
    for (int i = from; i < keys.size(); i++) {
      K key = keys.get(i);
      if (key != null && cells[i] != KeyLoops.NO_CELL) {
        // Most keys are the first of their cell, and so without an equal one before them.
        roundOf[i] = cellsSeen.get(cells[i]) ? equalKeys(key, from, i) : 0;
        cellsSeen.set(cells[i]);
        if (roundOf[i] == rounds.size()) {
          rounds.add(new ArrayList<>(keys.size() - from));
        }
        rounds.get(roundOf[i]).add(key);
      }
    }
    List<BulkGet<K, V>> sent = new ArrayList<>(rounds.size());
    Corked.run(() -> rounds.forEach(r -> sent.add(BulkGet.send(loops.reads(), r))));
    return sent;
  }

  private int equalKeys(K key, int from, int to) {
    int equal = 0;
    for (int i = from; i < to; i++) {
      if (cells[i] == cells[to] && key.equals(keys.get(i))) {
        equal++;
      }
    }
    return equal;
  }

  private void receive(int from, List<BulkGet<K, V>> sent, long deadlineNanos) {
    List<Iterator<Result<V>>> rounds = new ArrayList<>(sent.size());
    int received = 0;
    for (BulkGet<K, V> bulk : sent) {
      Map<K, Result<V>> round = await(bulk, deadlineNanos);
      received += round.size();
      rounds.add(round.values().iterator());
      fetchedBytes += bulk.replyBytes();
    }
    if (received != fetchedKeys) {
      drop(); // The codec does not encode equal keys alike, so which value is whose is not known.
      return;
    }
    for (int i = from; i < keys.size(); i++) {
      if (cells[i] != KeyLoops.NO_CELL) {
        results[i] = rounds.get(roundOf[i]).next(); // They are in the order of the keys.
      }
    }
  }

  private Map<K, Result<V>> await(BulkGet<K, V> bulk, long deadlineNanos) {
    Corked.release();
    long left = Math.max(0, deadlineNanos - System.nanoTime());
    try {
      return bulk.whole().get(left, TimeUnit.NANOSECONDS).results();
    } catch (TimeoutException e) {
      bulk.expire(loops.timeout());
      return bulk.whole().join().results();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (ExecutionException e) {
      throw new SheafException("The read failed: " + e.getCause(), e.getCause());
    }
  }
}
