// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes, deletes and checks many keys at once: validates the arguments, and sends a command for
 * each key in slices, so that the number in flight stays bounded. Thread-safe.
 */
public final class MultiCommand<K, V> {

  private static final long NO_TTL = 0;

  private final ReadRouter<K, V> router;
  private final RedisCodec<K, V> codec;
  private final Duration commandTimeout;
  private final long maxHeldBytes;
  private final AtomicInteger blockedCallers;

  /**
   * Creates the commands of one client.
   *
   * @param maxQueuedBytes the limit of a node's queue, which no slice should exceed
   */
  public MultiCommand(
      ReadRouter<K, V> router,
      Duration commandTimeout,
      long maxQueuedBytes,
      AtomicInteger blockedCallers) {
    this.router = router;
    this.codec = router.codec();
    this.commandTimeout = commandTimeout;
    this.blockedCallers = blockedCallers;
    this.maxHeldBytes = Math.min(Limits.BYTES_PER_SLICE, maxQueuedBytes);
  }

  public Map<K, Result<Boolean>> setAll(
      Map<? extends K, ? extends V> values, @Nullable Duration ttl) {
    long ttlMillis = millisOf(ttl);
    return inSlices(
        MultiCommand.<K, V>entriesOf(values), (calls, entry) -> set(calls, entry, ttlMillis));
  }

  public CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values, @Nullable Duration ttl) {
    long ttlMillis = millisOf(ttl);
    requireOneSlice(values.size(), "setAll");
    return atOnce(
        MultiCommand.<K, V>entriesOf(values), (calls, entry) -> set(calls, entry, ttlMillis));
  }

  public Map<K, Result<Boolean>> forEach(CommandType type, Collection<? extends K> keys) {
    return inSlices(MultiCommand.<K>keysOf(keys), (calls, key) -> ask(calls, type, key));
  }

  public CompletableFuture<Map<K, Result<Boolean>>> forEachAsync(
      CommandType type, Collection<? extends K> keys, String blockingForm) {
    requireOneSlice(keys.size(), blockingForm);
    return atOnce(MultiCommand.<K>keysOf(keys), (calls, key) -> ask(calls, type, key));
  }

  private void set(KeyCalls<K, V> calls, Entry<K, V> entry, long ttlMillis) {
    CommandArgs<K, V> args = new CommandArgs<>(codec).addKey(entry.key()).addValue(entry.value());
    if (ttlMillis != NO_TTL) {
      args.add(CommandKeyword.PX).add(ttlMillis);
    }
    calls.add(entry.key(), CommandType.SET, new StatusOutput<>(codec), args, Objects::nonNull);
  }

  private void ask(KeyCalls<K, V> calls, CommandType type, K key) {
    calls.add(
        key,
        type,
        new IntegerOutput<>(codec),
        new CommandArgs<>(codec).addKey(key),
        count -> count != null && count > 0);
  }

  private <T> Map<K, Result<Boolean>> inSlices(
      List<T> items, BiConsumer<KeyCalls<K, V>, ? super T> call) {
    if (items.size() <= Limits.KEYS_PER_SLICE) {
      return slice(items, call);
    }
    Map<K, Result<Boolean>> results = new LinkedHashMap<>();
    for (int start = 0; start < items.size(); start += Limits.KEYS_PER_SLICE) {
      int end = Math.min(items.size(), start + Limits.KEYS_PER_SLICE);
      slice(items.subList(start, end), call).forEach(results::putIfAbsent);
    }
    return Collections.unmodifiableMap(results);
  }

  private <T> Map<K, Result<Boolean>> slice(
      List<T> items, BiConsumer<KeyCalls<K, V>, ? super T> call) {
    KeyCalls<K, V> calls = calls(items, call);
    return WriteScope.supply(
        blockedCallers,
        commandTimeout,
        () -> {
          calls.sendBlocking(maxHeldBytes, commandTimeout);
          return calls.await(commandTimeout, System.nanoTime() + commandTimeout.toNanos());
        });
  }

  private <T> CompletableFuture<Map<K, Result<Boolean>>> atOnce(
      List<T> items, BiConsumer<KeyCalls<K, V>, ? super T> call) {
    KeyCalls<K, V> calls = calls(items, call);
    calls.send(maxHeldBytes);
    return calls.future();
  }

  private <T> KeyCalls<K, V> calls(List<T> items, BiConsumer<KeyCalls<K, V>, ? super T> call) {
    KeyCalls<K, V> calls = new KeyCalls<>(router, items.size());
    items.forEach(item -> call.accept(calls, item));
    return calls;
  }

  private static void requireOneSlice(int size, String blockingForm) {
    if (size > Limits.KEYS_PER_SLICE) {
      throw new IllegalArgumentException(
          "At most "
              + Limits.KEYS_PER_SLICE
              + " keys at once without blocking, but there were "
              + size
              + "; use "
              + blockingForm
              + ", or call this for one part after the other");
    }
  }

  private static long millisOf(@Nullable Duration ttl) {
    if (ttl == null) {
      return NO_TTL;
    }
    if (ttl.compareTo(Limits.MIN_TTL) < 0 || ttl.compareTo(Limits.MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "ttl must be from "
              + Limits.MIN_TTL.toMillis()
              + " ms to "
              + Limits.MAX_TTL.toDays()
              + " days, but was "
              + ttl);
    }
    return ttl.toMillis();
  }

  /** A copy, so that concurrent changes are not seen in part. */
  private static <K> List<K> keysOf(Collection<? extends K> keys) {
    List<K> copy = new ArrayList<>(keys);
    for (int i = 0; i < copy.size(); i++) {
      requireNonNull(copy.get(i), "key", i);
    }
    return copy;
  }

  private static <K, V> List<Entry<K, V>> entriesOf(Map<? extends K, ? extends V> values) {
    List<Entry<K, V>> copy = new ArrayList<>(values.size());
    values.forEach(
        (key, value) -> {
          requireNonNull(key, "key", copy.size());
          requireNonNull(value, "value", copy.size());
          copy.add(new Entry<>(key, value));
        });
    return copy;
  }

  private static void requireNonNull(@Nullable Object object, String what, int index) {
    if (object == null) {
      throw new NullPointerException("The " + what + " at index " + index + " is null");
    }
  }

  private record Entry<K, V>(K key, V value) {}
}
