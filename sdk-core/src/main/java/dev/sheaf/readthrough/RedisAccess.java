package dev.sheaf.readthrough;

import dev.sheaf.Result;
import io.lettuce.core.RedisFuture;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * What a read-through needs of the client. What it sends leaves at once, also on a thread that
 * gathers a batch. Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface RedisAccess<K, V> {

  /** Whether nothing speaks against the node of a key. Never waits. */
  boolean mayUse(K key);

  /** The bytes of a key, which tell equal keys. */
  ByteBuffer encode(K key);

  /** GET. */
  RedisFuture<V> get(K key);

  /** GET of many keys, a failure for each that has no answer in time. Blocks. */
  Map<K, Result<V>> getAll(List<K> keys, long timeoutNanos) throws InterruptedException;

  /** PTTL. */
  RedisFuture<Long> remainingMillis(K key);

  /** SET with PX. */
  RedisFuture<String> set(K key, V value, long ttlMillis);

  /** Runs a short task later, on a thread of the client; false if the client is shut down. */
  boolean schedule(Runnable task, long delayNanos);
}
