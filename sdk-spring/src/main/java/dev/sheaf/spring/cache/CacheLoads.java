// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The loads in progress, at most one per key. A caller that finds one waits for it with a time
 * limit, because its loader may wait for something that this caller holds. Thread-safe.
 */
final class CacheLoads {

  private final ConcurrentHashMap<ByteBuffer, Load> underWay = new ConcurrentHashMap<>();
  private final long patienceNanos;

  private record Load(Thread owner, CompletableFuture<byte @Nullable []> value) {

    static Load mine() {
      return new Load(Thread.currentThread(), new CompletableFuture<>());
    }

    boolean isMine() {
      return owner == Thread.currentThread();
    }
  }

  /**
   * Creates an object without loads.
   *
   * @param patience how long a caller waits for another caller's load before it loads itself
   */
  CacheLoads(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /**
   * Loads a value, or waits for the thread that is loading its key. Throws what the loader throws.
   */
  byte[] load(ByteBuffer key, Supplier<byte[]> loader) {
    Load mine = Load.mine();
    Load first = underWay.putIfAbsent(key, mine);
    if (first == null) {
      return lead(key, mine, loader);
    }
    // A loader that reads its own key would wait for itself.
    return first.isMine() ? loader.get() : follow(first, loader);
  }

  private byte[] lead(ByteBuffer key, Load mine, Supplier<byte[]> loader) {
    try {
      byte[] loaded = loader.get();
      mine.value().complete(loaded);
      return loaded;
    } catch (RuntimeException | Error e) {
      mine.value().completeExceptionally(e);
      throw e;
    } finally {
      underWay.remove(key, mine);
    }
  }

  private byte[] follow(Load first, Supplier<byte[]> loader) {
    try {
      byte[] loaded = first.value().get(patienceNanos, TimeUnit.NANOSECONDS);
      // A missing value among many keys is no answer for one: only its own loader can tell.
      return loaded == null ? loader.get() : loaded;
    } catch (TimeoutException e) {
      return loader.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return loader.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new CompletionException(e.getCause());
    }
  }

  /**
   * Loads the keys that nobody else is loading with one call, then waits for the others. If the
   * load of another thread fails or takes too long, its keys are loaded here with one more call.
   *
   * @param keys the keys by their stored form
   * @param loader returns stored values, without entries for keys that have none
   * @return the values loaded by other threads or for them, with null where there is no value
   */
  <K> Map<K, byte @Nullable []> loadAll(
      Map<ByteBuffer, K> keys, Function<Set<K>, Map<K, byte[]>> loader) {
    Map<ByteBuffer, Load> mine = new HashMap<>();
    Map<K, Load> others = new LinkedHashMap<>();
    Set<K> wanted = new LinkedHashSet<>();
    keys.forEach(
        (stored, key) -> {
          Load fresh = Load.mine();
          Load first = underWay.putIfAbsent(stored, fresh);
          if (first == null) {
            mine.put(stored, fresh);
          }
          if (first == null || first.isMine()) {
            wanted.add(key);
          } else {
            others.put(key, first);
          }
        });
    leadAll(keys, mine, wanted, loader);
    return followAll(others, loader);
  }

  private <K> void leadAll(
      Map<ByteBuffer, K> keys,
      Map<ByteBuffer, Load> mine,
      Set<K> wanted,
      Function<Set<K>, Map<K, byte[]>> loader) {
    try {
      Map<K, byte[]> loaded = wanted.isEmpty() ? Map.of() : loader.apply(wanted);
      mine.forEach((stored, load) -> load.value().complete(loaded.get(keys.get(stored))));
    } catch (RuntimeException | Error e) {
      mine.values().forEach(load -> load.value().completeExceptionally(e));
      throw e;
    } finally {
      mine.forEach(underWay::remove);
    }
  }

  private <K> Map<K, byte @Nullable []> followAll(
      Map<K, Load> others, Function<Set<K>, Map<K, byte[]>> loader) {
    Map<K, byte @Nullable []> theirs = new HashMap<>();
    Set<K> owed = new LinkedHashSet<>();
    long deadline = System.nanoTime() + patienceNanos;
    others.forEach(
        (key, load) -> {
          try {
            theirs.put(
                key,
                load.value().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            owed.add(key);
          } catch (TimeoutException | ExecutionException e) {
            owed.add(key);
          }
        });
    if (!owed.isEmpty()) {
      theirs.putAll(loader.apply(owed));
    }
    return theirs;
  }
}
