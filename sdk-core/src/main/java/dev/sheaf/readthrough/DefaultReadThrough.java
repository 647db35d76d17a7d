package dev.sheaf.readthrough;

import dev.sheaf.Result;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.readthrough.ReadThroughMeters.Read;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The one kind of {@link ReadThrough}. */
final class DefaultReadThrough<K, V> implements ReadThrough<K, V> {

  /** How many keys are read at once. */
  private static final int KEYS_PER_SLICE = Limits.KEYS_PER_SLICE;

  private final RedisAccess<K, V> redis;
  private final ReadThroughOptions<V> options;
  private final ReadThroughMeters meters;
  private final LoadTable<V> table;
  private final WriteBacks<K, V> writeBacks;
  private final EarlyRefresh early;
  private final long readNanos;
  private final @Nullable V absent;

  DefaultReadThrough(
      RedisAccess<K, V> redis, ReadThroughOptions<V> options, ReadThroughMeters meters) {
    this.redis = redis;
    this.options = options;
    this.meters = meters;
    this.readNanos = options.readTimeout().toNanos();
    this.absent = options.absent();
    this.table = new LoadTable<>(options.maxLoads(), task -> redis.schedule(task, 2 * readNanos));
    this.writeBacks = new WriteBacks<>(redis, options, meters);
    this.early =
        new EarlyRefresh(options.earlyRefresh(), () -> ThreadLocalRandom.current().nextLong());
  }

  // ---- One key

  @Override
  public @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader) {
    Objects.requireNonNull(key, "The key is null");
    Objects.requireNonNull(loader, "The loader is null");
    requirePositive(ttl);
    long askedAt = System.nanoTime();
    V value = readOne(key, askedAt);
    if (value == null) {
      return load(key, ttl, loader, askedAt);
    }
    if (isAbsent(value)) {
      return null;
    }
    return early.isOn() ? refreshed(key, value, ttl, loader, askedAt) : value;
  }

  private @Nullable V readOne(K key, long askedAt) {
    if (!redis.mayUse(key)) {
      meters.read(Read.SKIPPED);
      return null;
    }
    RedisFuture<V> reply;
    try {
      reply = redis.get(key);
    } catch (RuntimeException e) {
      meters.read(Read.FAILED);
      return null;
    }
    V value = await(reply, askedAt);
    if (value == null) {
      meters.read(reply.isDone() && !isFailed(reply) ? Read.MISS : Read.FAILED);
    } else {
      meters.read(isAbsent(value) ? Read.ABSENT : Read.HIT);
    }
    return value;
  }

  private static boolean isFailed(RedisFuture<?> reply) {
    return reply.toCompletableFuture().isCompletedExceptionally();
  }

  /** The reply if it comes in time, else null. Nobody waits for a late one, which is not sent. */
  private <T> @Nullable T await(RedisFuture<T> reply, long askedAt) {
    try {
      long left = askedAt + readNanos - System.nanoTime();
      if (Thread.interrupted()) {
        // A reply that is there already would hide it, one time in many.
        throw new InterruptedException();
      }
      return reply.get(Math.max(0, left), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      reply.cancel(true);
      return null;
    } catch (ExecutionException | CancellationException e) {
      return null;
    } catch (InterruptedException e) {
      reply.cancel(true);
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }

  private boolean isAbsent(V value) {
    return absent != null && Objects.deepEquals(absent, value);
  }

  private @Nullable V refreshed(
      K key, V value, Duration ttl, Loader<? super K, ? extends V> loader, long askedAt) {
    Long remaining = remaining(key, askedAt);
    if (remaining == null || !early.isDue(remaining) || table.isLoading(encoded(key))) {
      return value;
    }
    meters.load(ReadThroughMeters.Load.EARLY);
    try {
      return load(key, ttl, loader, System.nanoTime());
    } catch (RuntimeException e) {
      // There is a value still; the next one may have more luck.
      return value;
    }
  }

  private @Nullable Long remaining(K key, long askedAt) {
    try {
      return await(redis.remainingMillis(key), askedAt);
    } catch (RedisCommandInterruptedException e) {
      throw e;
    } catch (RuntimeException e) {
      return null;
    }
  }

  private @Nullable V load(
      K key, Duration ttl, Loader<? super K, ? extends V> loader, long askedAt) {
    Object caller = new Object();
    LoadTable<V>.Load load = table.claim(encoded(key), caller, askedAt);
    try {
      if (load != null && !load.isOf(caller)) {
        meters.load(ReadThroughMeters.Load.SHARED);
        return load.await();
      }
      meters.load(load == null ? ReadThroughMeters.Load.UNSHARED : ReadThroughMeters.Load.OWN);
      return carryOut(key, ttl, loader, load);
    } catch (Exception e) {
      throw unchecked(e);
    }
  }

  private @Nullable V carryOut(
      K key, Duration ttl, Loader<? super K, ? extends V> loader, LoadTable<V>.@Nullable Load load)
      throws Exception {
    V value;
    long begunAt = System.nanoTime();
    try {
      value = loader.load(key);
    } catch (Throwable failure) {
      if (load != null) {
        load.fail(failure);
      }
      throw failure;
    }
    early.observe(System.nanoTime() - begunAt);
    writeBack(key, value, ttl);
    if (load != null) {
      load.succeed(value);
    }
    return value;
  }

  private void writeBack(K key, @Nullable V value, Duration ttl) {
    V written = value == null ? absent : value;
    if (written != null) {
      writeBacks.write(key, written, value == null ? options.absentTtl() : ttl, redis.mayUse(key));
    }
  }

  private static RuntimeException unchecked(Exception failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new LoadFailedException(failure);
  }

  private ByteBuffer encoded(K key) {
    ByteBuffer bytes = redis.encode(key);
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  private static void requirePositive(Duration ttl) {
    if (ttl.isNegative() || ttl.isZero()) {
      throw new IllegalArgumentException("The TTL must be positive, but was " + ttl);
    }
  }

  // ---- Many keys

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys, Duration ttl, BatchLoader<K, V> loader) {
    Objects.requireNonNull(loader, "The loader is null");
    requirePositive(ttl);
    Set<K> distinct = new LinkedHashSet<>();
    for (K key : keys) {
      distinct.add(Objects.requireNonNull(key, "A key is null"));
    }
    long askedAt = System.nanoTime();
    Map<K, V> found = new LinkedHashMap<>();
    Set<K> missing = readMany(distinct, found, askedAt);
    if (!missing.isEmpty()) {
      loadMany(missing, found, ttl, loader, askedAt);
    }
    return inOrder(distinct, found);
  }

  private static <K, V> Map<K, V> inOrder(Set<K> keys, Map<K, V> found) {
    Map<K, V> ordered = new LinkedHashMap<>();
    for (K key : keys) {
      V value = found.get(key);
      if (value != null) {
        ordered.put(key, value);
      }
    }
    return Collections.unmodifiableMap(ordered);
  }

  /** Reads what Redis has; returns the keys for the loader. */
  private Set<K> readMany(Set<K> keys, Map<K, V> found, long askedAt) {
    Set<K> missing = new LinkedHashSet<>();
    List<K> asked = new ArrayList<>(keys.size());
    for (K key : keys) {
      if (redis.mayUse(key)) {
        asked.add(key);
      } else {
        missing.add(key);
        meters.read(Read.SKIPPED);
      }
    }
    for (int start = 0; start < asked.size(); start += KEYS_PER_SLICE) {
      int end = Math.min(asked.size(), start + KEYS_PER_SLICE);
      readSlice(asked.subList(start, end), found, missing, askedAt);
    }
    return missing;
  }

  private void readSlice(List<K> keys, Map<K, V> found, Set<K> missing, long askedAt) {
    results(keys, askedAt)
        .forEach(
            (key, result) -> {
              if (result instanceof Result.Value<V> value) {
                if (isAbsent(value.value())) {
                  meters.read(Read.ABSENT);
                } else {
                  meters.read(Read.HIT);
                  found.put(key, value.value());
                }
              } else {
                meters.read(result.isAbsent() ? Read.MISS : Read.FAILED);
                missing.add(key);
              }
            });
  }

  private Map<K, Result<V>> results(List<K> keys, long askedAt) {
    try {
      return redis.getAll(keys, Math.max(0, askedAt + readNanos - System.nanoTime()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }

  private void loadMany(
      Set<K> missing, Map<K, V> found, Duration ttl, BatchLoader<K, V> loader, long askedAt) {
    Map<K, LoadTable<V>.Load> mine = new LinkedHashMap<>();
    Map<K, LoadTable<V>.Load> others = new LinkedHashMap<>();
    Set<K> toLoad = new LinkedHashSet<>();
    try {
      claim(missing, askedAt, mine, others, toLoad);
      if (!toLoad.isEmpty()) {
        carryOut(toLoad, mine, found, ttl, loader);
      }
      // After one's own are done, so that two callers never wait for each other.
      for (Map.Entry<K, LoadTable<V>.Load> other : others.entrySet()) {
        V value = other.getValue().await();
        if (value != null) {
          found.put(other.getKey(), value);
        }
      }
    } catch (Exception e) {
      throw unchecked(e);
    }
  }

  private void claim(
      Set<K> missing,
      long askedAt,
      Map<K, LoadTable<V>.Load> mine,
      Map<K, LoadTable<V>.Load> others,
      Set<K> toLoad) {
    Object caller = new Object();
    try {
      for (K key : missing) {
        LoadTable<V>.Load load = table.claim(encoded(key), caller, askedAt);
        if (load != null && !load.isOf(caller)) {
          others.put(key, load);
          meters.load(ReadThroughMeters.Load.SHARED);
          continue;
        }
        toLoad.add(key);
        meters.load(load == null ? ReadThroughMeters.Load.UNSHARED : ReadThroughMeters.Load.OWN);
        if (load != null) {
          mine.put(key, load);
        }
      }
    } catch (RuntimeException e) {
      mine.values().forEach(load -> load.fail(e));
      throw e;
    }
  }

  private void carryOut(
      Set<K> toLoad,
      Map<K, LoadTable<V>.Load> mine,
      Map<K, V> found,
      Duration ttl,
      BatchLoader<K, V> loader)
      throws Exception {
    Map<? extends K, ? extends V> loaded;
    try {
      loaded =
          Objects.requireNonNull(
              loader.loadAll(Collections.unmodifiableSet(toLoad)), "The loader returned no map");
    } catch (Throwable failure) {
      mine.values().forEach(load -> load.fail(failure));
      throw failure;
    }
    for (K key : toLoad) {
      V value = loaded.get(key);
      writeBack(key, value, ttl);
      LoadTable<V>.Load load = mine.get(key);
      if (load != null) {
        load.succeed(value);
      }
      if (value != null) {
        found.put(key, value);
      }
    }
  }
}
