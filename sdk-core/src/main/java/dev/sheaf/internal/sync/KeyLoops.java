// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.keys.ReadRouter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.RedisCodec;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** What the loops of one client that read ahead have in common. Thread-safe. */
public final class KeyLoops<K, V> {

  /**
   * How long a value may wait to be handed out: 1 second. It bounds what a slow body, or a get
   * after a loop that was left, can see of the past.
   */
  static final Duration MAX_VALUE_AGE = Duration.ofSeconds(1);

  private final ReadRouter<K, V> reads;
  private final StatefulConnection<K, V> connection;
  private final RedisCodec<K, V> codec;
  private final Duration timeout;
  private final WriteClock writes;
  private final AtomicInteger blockedCallers;
  private final ThreadLocal<CallerThread> callers;

  private final LoopHabits habits = new LoopHabits();

  /** Loops that were collected by the garbage collector before they ended. */
  private final ReferenceQueue<OpenLoop.Values> abandoned = new ReferenceQueue<>();

  /** Loops that may hold values. Their threads may be gone; a note must not go unnoticed then. */
  private final Set<OpenLoop> joined = ConcurrentHashMap.newKeySet();

  public KeyLoops(
      ReadRouter<K, V> reads,
      Duration timeout,
      WriteClock writes,
      AtomicInteger blockedCallers,
      ThreadLocal<CallerThread> callers) {
    this.reads = reads;
    this.connection = reads.connection();
    this.codec = reads.codec();
    this.timeout = timeout;
    this.writes = writes;
    this.blockedCallers = blockedCallers;
    this.callers = callers;
  }

  /** How many of the client's callers block for replies now. */
  AtomicInteger blockedCallers() {
    return blockedCallers;
  }

  public <T> Iterable<T> over(
      Collection<? extends T> items, Function<? super T, ? extends K> keyOf) {
    Objects.requireNonNull(items, "items");
    Objects.requireNonNull(keyOf, "keyOf");
    return () -> new KeyLoop<T, K, V>(this, items.toArray(), keyOf);
  }

  /** Enters a loop into the stack of the current thread. */
  OpenLoop open(OpenLoop.Values loop) {
    for (Reference<?> left = abandoned.poll(); left != null; left = abandoned.poll()) {
      ((OpenLoop) left).close();
    }
    OpenLoop open = new OpenLoop(loop, abandoned, writes, joined);
    caller().push(open);
    return open;
  }

  CallerThread caller() {
    return callers.get();
  }

  /** What is remembered of each thread. */
  ThreadLocal<CallerThread> threads() {
    return callers;
  }

  /** What was read ahead for this key is older than what its reader is about to see. */
  void overtake(K key) {
    int cell;
    try {
      cell = WriteClock.cellOf(codec, key);
    } catch (RuntimeException ofTheCodec) {
      return; // Such a key was not read ahead, and its reader is about to meet the same.
    }
    writes.advance(cell);
  }

  boolean isInTransaction() {
    return connection instanceof StatefulRedisConnection<K, V> server && server.isMulti();
  }

  LoopHabits habits() {
    return habits;
  }

  ReadRouter<K, V> reads() {
    return reads;
  }

  Duration timeout() {
    return timeout;
  }

  public WriteClock writes() {
    return writes;
  }
}
