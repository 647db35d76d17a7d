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
 * What the loops over one connection have in common, declared and learned ones: their windows, and
 * what is known of each thread.
 *
 * <p>Thread-safe.
 */
public final class Loops<K, V> {

  /**
   * How long a value may wait to be handed out to a declared loop: 1 second. It bounds what a slow
   * body can see of the past.
   */
  static final Duration MAX_VALUE_AGE = Duration.ofSeconds(1);

  /**
   * Bytes that all windows may hold, judged by what their places read before: 64 MiB. Further loops
   * read key by key.
   */
  static final long MAX_HELD_BYTES = 64 << 20;

  /** As what a key counts whose value is smaller, or not known. */
  private static final long MIN_HELD_BYTES = 256;

  /** How often in a second windows are looked for whose loops were left. */
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

  /** The windows that may hold replies. Their threads may be gone. */
  private final Set<LoopWindow<K>> open = ConcurrentHashMap.newKeySet();

  /** Begins with nothing read ahead. */
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

  /** A loop whose keys the user gives. */
  public <T> Iterable<T> over(
      Collection<? extends T> items, Function<? super T, ? extends K> keyOf) {
    Objects.requireNonNull(items, "items");
    Objects.requireNonNull(keyOf, "keyOf");
    return () -> new GivenLoop<T, K>(callers, places, items.toArray(), keyOf);
  }

  /** What is remembered of each thread. */
  ThreadLocal<CallerThread> callers() {
    return callers;
  }

  /** The calls of each thread that may be loops; null if none are learned. */
  @Nullable ThreadLocal<FollowedCalls<K>> followed() {
    return followed;
  }

  /** The current thread reads several keys at once, and may see later values. */
  public void readElsewhere() {
    if (followed != null) {
      callers.get().dropLearned();
    }
  }

  /** The current thread is about to read what has these ids, which it had from elsewhere. */
  public void expect(String source, Collection<?> ids) {
    if (followed != null) {
      followed.get().replied(source, ids);
    }
  }

  /** What this client writes. */
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
   * Opens a window behind the key that a loop has read last.
   *
   * @return null if nothing is to be read ahead now
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
