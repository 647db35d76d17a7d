package dev.sheaf.internal.readthrough;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The loads under way, by encoded key, so that loading is single-flight.
 *
 * <p>A load that has ended stays for a moment: a caller that asked Redis before the value was
 * written there missed it, and takes it from here. A load that is older than {@code maxWait} is not
 * shared any more; the next caller replaces it. Thread-safe.
 */
final class LoadTable<V> {

  private final ConcurrentMap<ByteBuffer, Load> loads = new ConcurrentHashMap<>();
  private final int maxLoads;
  private final long maxWaitNanos;
  private final Predicate<Runnable> later;

  /**
   * Creates an empty table.
   *
   * @param maxWaitNanos how long a load is shared
   * @param later runs a task when no read is under way any more that began before now; false if it
   *     never will
   */
  LoadTable(int maxLoads, long maxWaitNanos, Predicate<Runnable> later) {
    this.maxLoads = maxLoads;
    this.maxWaitNanos = maxWaitNanos;
    this.later = later;
  }

  /**
   * A load to share, or one of the caller's own, which the caller must then end.
   *
   * @param caller identifies one call, which may claim many keys
   * @param leader the thread that would load; null if the load does not block it
   * @param askedAt a load that ended before this is not shared
   * @return null if too many loads are under way
   * @throws IllegalStateException if this thread is loading the key already
   */
  @Nullable Load claim(ByteBuffer key, Object caller, @Nullable Thread leader, long askedAt) {
    Load mine = new Load(key, caller, leader);
    while (true) {
      Load known = loads.get(key);
      if (known == null) {
        if (loads.size() >= maxLoads) {
          return null;
        }
        if (loads.putIfAbsent(key, mine) == null) {
          return mine;
        }
      } else if (known.serves(askedAt)) {
        known.requireNoRecursion(caller);
        return known;
      } else if (loads.replace(key, known, mine)) {
        return mine;
      }
    }
  }

  boolean isLoading(ByteBuffer key) {
    Load known = loads.get(key);
    return known != null && !known.outcome.isDone();
  }

  /** One load of one key. */
  final class Load {

    private final ByteBuffer key;
    private final Object caller;
    private final @Nullable Thread leader;
    private final long begunAt = System.nanoTime();
    private final CompletableFuture<@Nullable V> outcome = new CompletableFuture<>();
    private volatile long endedAt;

    Load(ByteBuffer key, Object caller, @Nullable Thread leader) {
      this.key = key;
      this.caller = caller;
      this.leader = leader;
    }

    boolean isOf(Object asking) {
      return caller == asking;
    }

    /** How it ended; not for users, who could complete it. */
    CompletableFuture<@Nullable V> outcome() {
      return outcome;
    }

    /** For how long callers may still wait for it; negative if they may not. */
    long remainingNanos() {
      return begunAt + maxWaitNanos - System.nanoTime();
    }

    private boolean serves(long askedAt) {
      return outcome.isDone()
          ? !outcome.isCompletedExceptionally() && endedAt - askedAt >= 0
          : remainingNanos() > 0;
    }

    private void requireNoRecursion(Object asking) {
      if (leader == Thread.currentThread() && caller != asking && !outcome.isDone()) {
        throw new IllegalStateException(
            "A loader reads through the key that it loads, and would wait for itself; let it read"
                + " the source of the data");
      }
    }

    void succeed(@Nullable V value) {
      endedAt = System.nanoTime();
      outcome.complete(value);
      boolean removed = false;
      try {
        removed = later.test(() -> loads.remove(key, this));
      } finally {
        if (!removed) {
          loads.remove(key, this);
        }
      }
    }

    void fail(Throwable failure) {
      loads.remove(key, this);
      outcome.completeExceptionally(failure);
    }
  }
}
