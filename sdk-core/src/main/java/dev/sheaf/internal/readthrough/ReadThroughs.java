// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The read-throughs of one client, which share their meters. Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class ReadThroughs<K, V> {

  private final CacheAccess<K, V> redis;
  private final @Nullable MeterRegistry registry;
  private final String clientName;
  private @Nullable ReadThroughMeters meters;
  private volatile @Nullable ReadThrough<K, V> usual;

  /**
   * Makes none yet.
   *
   * @param registry for the meters; null if nobody measures
   * @param clientName the client's name in its meters
   */
  public ReadThroughs(
      CacheAccess<K, V> redis, @Nullable MeterRegistry registry, String clientName) {
    this.redis = redis;
    this.registry = registry;
    this.clientName = clientName;
  }

  /** The one with default options, always the same. */
  public ReadThrough<K, V> usual() {
    ReadThrough<K, V> known = usual;
    if (known == null) {
      synchronized (this) {
        known = usual == null ? with(ReadThroughOptions.defaults()) : usual;
        usual = known;
      }
    }
    return known;
  }

  /** A new one. */
  public synchronized ReadThrough<K, V> with(ReadThroughOptions<V> options) {
    Objects.requireNonNull(options, "options");
    if (meters == null) {
      meters = new ReadThroughMeters(registry, clientName);
    }
    return new DefaultReadThrough<>(redis, options, meters);
  }

  /** Takes back the gauge of what is on its way. */
  public synchronized void close() {
    if (meters != null) {
      meters.close();
    }
  }
}
