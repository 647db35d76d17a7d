package dev.sheaf.readthrough;

import io.lettuce.core.RedisCommandInterruptedException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The loads under way, by encoded key, so that each key is loaded by one caller at a time.
 *
 * <p>A load that has ended stays for a moment: who asked Redis before its value was written there
 * has missed it, and takes it from here. Thread-safe.
 */
final class LoadTable<V> {

  private final ConcurrentMap<ByteBuffer, Load> loads = new ConcurrentHashMap<>();
  private final int maxLoads;
  private final AfterAWhile afterAWhile;

  /** Runs a task when nobody can have asked before a load that ends now. */
  @FunctionalInterface
  interface AfterAWhile {
    boolean run(Runnable task);
  }

  LoadTable(int maxLoads, AfterAWhile afterAWhile) {
    this.maxLoads = maxLoads;
    this.afterAWhile = afterAWhile;
  }

  /**
   * A load to share, or one of the caller's own to carry out, which it must then end.
   *
   * @param caller one call, which may claim many keys
   * @param askedAt what ended before this does not count
   * @return null if too many loads are under way
   * @throws IllegalStateException if this thread is loading the key already
   */
  @Nullable Load claim(ByteBuffer key, Object caller, long askedAt) {
    Load mine = new Load(key, caller);
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

  /** Whether somebody is loading the key. */
  boolean isLoading(ByteBuffer key) {
    Load known = loads.get(key);
    return known != null && !known.outcome.isDone();
  }

  int size() {
    return loads.size();
  }

  /** One load of one key. */
  final class Load {

    private final ByteBuffer key;
    private final Object caller;
    private final Thread leader = Thread.currentThread();
    private final CompletableFuture<@Nullable V> outcome = new CompletableFuture<>();
    private volatile long endedAt;

    Load(ByteBuffer key, Object caller) {
      this.key = key;
      this.caller = caller;
    }

    boolean isOf(Object asking) {
      return caller == asking;
    }

    private boolean serves(long askedAt) {
      return !outcome.isDone() || (!outcome.isCompletedExceptionally() && endedAt - askedAt >= 0);
    }

    private void requireNoRecursion(Object asking) {
      if (leader == Thread.currentThread() && caller != asking && !outcome.isDone()) {
        throw new IllegalStateException(
            "A loader reads through the very key that it loads, and would wait for itself; let it"
                + " read the source of the data");
      }
    }

    void succeed(@Nullable V value) {
      endedAt = System.nanoTime();
      outcome.complete(value);
      if (!afterAWhile.run(() -> loads.remove(key, this))) {
        loads.remove(key, this);
      }
    }

    void fail(Throwable failure) {
      loads.remove(key, this);
      outcome.completeExceptionally(failure);
    }

    /**
     * Waits for whoever carries it out.
     *
     * @throws Exception what the loader threw
     */
    @Nullable V await() throws Exception {
      try {
        return outcome.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RedisCommandInterruptedException(e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw (Exception) e.getCause();
      }
    }
  }
}
