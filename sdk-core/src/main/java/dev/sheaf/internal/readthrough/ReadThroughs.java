// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.lettuce.core.codec.RedisCodec;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The read-throughs of one client, with common meters. Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class ReadThroughs<K, V> {

  private final CacheAccess<K, V> redis;
  private final ReadThroughMeters meters;
  private final ReadThrough<K, V> usual;

  /**
   * Creates the factory for one connection.
   *
   * @param registry for the meters; null for none
   * @param clientName the client's name in its meters
   */
  public ReadThroughs(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      @Nullable CompressionEngine compression,
      NodeWatch<K> watch,
      @Nullable MeterRegistry registry,
      String clientName) {
    this.redis = new CacheAccess<>(server, codec, compression, watch);
    this.meters = new ReadThroughMeters(registry, clientName);
    this.usual = with(ReadThroughOptions.defaults());
  }

  /** The instance with default options, always the same. */
  public ReadThrough<K, V> usual() {
    return usual;
  }

  /** Creates an instance. */
  public ReadThrough<K, V> with(ReadThroughOptions<V> options) {
    return new DefaultReadThrough<>(redis, Objects.requireNonNull(options, "options"), meters);
  }
}
