package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.Result.Failure;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.keys.MultiGet;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    List<K> wanted = new ArrayList<>(keys.size() - from);
    for (int i = from; i < keys.size(); i++) {
      K key = keys.get(i);
      if (key != null) {
        wanted.add(key);
      }
    }
    MultiGet<K, V> bulk = MultiGet.ofEach(loops.reads(), wanted);
    int read = 0;
    for (int i = from; i < keys.size(); i++) {
      cells[i] = keys.get(i) == null ? MultiGet.NO_CELL : bulk.cell(read++);
      if (cells[i] != MultiGet.NO_CELL) {
        readings[i] = writes.reading(cells[i]);
        fetchedKeys++;
      }
    }
    fetched = true;
    long deadlineNanos = System.nanoTime() + loops.timeout().toNanos();
    bulk.send();
    try {
      bulk.await(loops.timeout(), deadlineNanos);
    } catch (RedisCommandInterruptedException e) {
      drop();
      throw e;
    }
    // Not from the request on: a slow server must not make windows useless.
    fetchedAtNanos = System.nanoTime();
    fetchedBytes = bulk.replyBytes();
    read = 0;
    for (int i = from; i < keys.size(); i++) {
      if (keys.get(i) != null) {
        Result<V> result = bulk.result(read++);
        // What could not be encoded is for its reader to meet, with a stack of its own.
        results[i] = cells[i] == MultiGet.NO_CELL ? null : result;
      }
    }
  }
}
