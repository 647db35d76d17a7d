// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.keys.KeyReads;
import dev.sheaf.internal.keys.ReadRouter;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state shared by all loops over one connection, declared and learned ones: their windows, and
 * the state of each thread.
 *
 * <p>Thread-safe.
 */
public final class Loops<K, V> {

  /**
   * How long a declared loop may use a value: 1 second. It limits how stale a value a slow body can
   * see.
   */
  static final Duration MAX_VALUE_AGE = Duration.ofSeconds(1);

  /**
   * Most bytes in all windows, estimated from earlier replies at their places: 64 MiB. Further
   * loops read key by key.
   */
  static final long MAX_HELD_BYTES = 64 << 20;

  /** The least size to count for a key, also if unknown. */
  private static final long MIN_HELD_BYTES = 256;

  /** How often per second abandoned windows are searched. */
  private static final int SWEEPS_PER_SECOND = 10;

  private final ReadRouter<K, V> reads;
  private final WriteClock writes;
  private final LoopPlaces places;
  private final ThreadLocal<CallerThread> callers;
  private final @Nullable ThreadLocal<FollowedCalls<K>> followed;
  private final KeyRow.Lists lists = new KeyRow.Lists();
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicLong windows = new AtomicLong();
  private final PerSecond sweeps = new PerSecond(SWEEPS_PER_SECOND, System::nanoTime);

  /** The windows that may have replies. Their threads may have ended. */
  private final Set<LoopWindow<K>> open = ConcurrentHashMap.newKeySet();

  /** Creates the state of a connection. */
  public Loops(
      ReadRouter<K, V> reads,
      WriteClock writes,
      LoopPlaces places,
      ThreadLocal<CallerThread> callers) {
    this.reads = reads;
    this.writes = writes;
    this.places = places;
    this.callers = callers;
    this.followed =
        places.learns()
            ? ThreadLocal.withInitial(() -> new FollowedCalls<>(callers.get(), places, lists))
            : null;
  }

  /** Creates a declared loop. */
  public <T> Iterable<T> over(
      Collection<? extends T> items, Function<? super T, ? extends K> keyOf) {
    Objects.requireNonNull(items, "items");
    Objects.requireNonNull(keyOf, "keyOf");
    return () -> new GivenLoop<T, K>(callers, places, items.toArray(), keyOf);
  }

  /** The state of each thread. */
  ThreadLocal<CallerThread> callers() {
    return callers;
  }

  /** The followed calls of each thread; null if loops are not learned. */
  @Nullable ThreadLocal<FollowedCalls<K>> followed() {
    return followed;
  }

  /** Called when the current thread reads several keys at once, and may see newer values. */
  public void readElsewhere() {
    if (followed != null) {
      callers.get().dropLearned();
    }
  }

  /** Announces ids whose keys the current thread is about to read. */
  public void expect(String source, Collection<?> ids) {
    if (followed != null) {
      followed.get().replied(source, ids);
    }
  }

  /** The counters of this client's writes. */
  public WriteClock writes() {
    return writes;
  }

  /** The cell of a key; {@link KeyReads#NO_CELL} if it cannot be encoded. */
  @SuppressWarnings("unchecked") // If it is of another type, the codec says so.
  int cellOf(Object key) {
    try {
      return WriteClock.cellOf(reads.codec(), (K) key);
    } catch (RuntimeException ofTheCodec) {
      return KeyReads.NO_CELL; // Its reader is about to meet the same.
    }
  }

  /**
   * Opens a window after the key that a loop has read last.
   *
   * @return null if nothing should be read ahead now
   */
  @Nullable LoopWindow<K> open(Loop<K> loop) {
    int wanted = loop.wanted(loop.last());
    LoopPlace place = loop.place();
    if (wanted == 0 || place == null || isInTransaction()) {
      return null;
    }
    List<K> keys = new ArrayList<>();
    int[] indexes = loop.ahead(wanted, keys);
    long bytes = indexes.length * Math.max(MIN_HELD_BYTES, place.bytesPerKey());
    if (sweeps.tryTake()) {
      open.stream().filter(LoopWindow::isTooOld).forEach(LoopWindow::close);
    }
    if (indexes.length == 0 || heldBytes.get() + bytes > MAX_HELD_BYTES) {
      return null;
    }
    LoopWindow<K> window =
        new LoopWindow<>(
            writes,
            loop.read().reads(reads, keys, loop.rest()),
            keys,
            indexes,
            loop.isDeclared() ? MAX_VALUE_AGE : places.maxAge(),
            loop.isDeclared(),
            closed -> closed(closed, place, bytes));
    heldBytes.addAndGet(bytes);
    open.add(window);
    writes.join();
    loop.opened(window, windows.incrementAndGet());
    return window;
  }

  private boolean isInTransaction() {
    return reads.connection() instanceof StatefulRedisConnection<K, V> server && server.isMulti();
  }

  private void closed(LoopWindow<K> window, LoopPlace place, long bytes) {
    open.remove(window);
    heldBytes.addAndGet(-bytes);
    writes.leave();
    places.windowClosed(
        place,
        window.requestedKeys(),
        window.usedReplies(),
        window.bytesPerKey(),
        window.isTooOld());
  }
}
