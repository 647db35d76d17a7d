// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.NullValue;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager.RedisCacheManagerBuilder;
import org.springframework.data.redis.serializer.RedisElementReader;
import org.springframework.data.redis.serializer.RedisElementWriter;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Decodes cached values. A value that cannot be decoded is a miss, with a warning and a meter:
 * during a roll-out, another version of the application may have written it.
 *
 * <p>Thread-safe.
 */
final class CacheValues {

  static final String METER = "sheaf.cache.undecodable";

  /** What Spring's caches store for a null result. */
  static final byte[] NULL_VALUE =
      Objects.requireNonNull(RedisSerializer.java().serialize(NullValue.INSTANCE));

  private final RareWarning warning = new RareWarning();
  private final @Nullable Counter counter;
  private final Map<String, Reading> configured = new ConcurrentHashMap<>();
  private volatile @Nullable Reading defaults;

  /**
   * Creates an object without caches.
   *
   * @param client the tag of the meter
   */
  CacheValues(@Nullable MeterRegistry registry, String client) {
    this.counter =
        registry == null
            ? null
            : Counter.builder(METER)
                .description("Values of caches that could not be decoded, and were misses")
                .tag("client", client)
                .register(registry);
  }

  /** Makes all caches of a manager decode their values here. */
  void readFor(RedisCacheManagerBuilder builder) {
    for (String name : builder.getConfiguredCaches()) {
      builder
          .getCacheConfigurationFor(name)
          .ifPresent(
              configuration -> {
                Reading reading = new Reading(name, configuration.getValueSerializationPair());
                configured.put(name, reading);
                builder.withCacheConfiguration(name, configuration.serializeValuesWith(reading));
              });
    }
    RedisCacheConfiguration others = builder.cacheDefaults();
    Reading reading = new Reading(null, others.getValueSerializationPair());
    defaults = reading;
    builder.cacheDefaults(others.serializeValuesWith(reading));
  }

  /**
   * Returns whether a value can be decoded. If the cache then decodes the same array on the same
   * thread, it gets the same object.
   */
  boolean canRead(String cache, byte[] stored) {
    Reading reading = configured.getOrDefault(cache, defaults);
    return reading == null || Arrays.equals(stored, NULL_VALUE) || reading.decodes(cache, stored);
  }

  /** Counts a value that cannot be decoded, and logs a warning. */
  void undecodable(@Nullable String cache, Throwable failure) {
    if (counter != null) {
      counter.increment();
    }
    // Messages of decoders can contain parts of the value.
    warning.log(
        () ->
            "A value of "
                + (cache == null ? "a cache" : "the cache " + cache)
                + " cannot be decoded and counts as a miss, perhaps one of many: "
                + failure.getClass().getName()
                + ", from "
                + NestedExceptionUtils.getMostSpecificCause(failure).getClass().getName()
                + ". Another version of the application may have written it; if this lasts, clear"
                + " the cache");
  }

  /** A decoded value, kept for the next decode of the same array. */
  private record Decoded(byte[] stored, Object value) {}

  /** The format of one cache's values, or of all caches without a format of their own. */
  private final class Reading implements SerializationPair<Object> {

    private final @Nullable String cache;
    private final SerializationPair<Object> pair;

    @SuppressWarnings("ThreadLocalUsage") // One per format; there are as many as caches.
    private final ThreadLocal<@Nullable Decoded> decoded = new ThreadLocal<>();

    @SuppressWarnings("unchecked") // A cache reads and writes objects.
    Reading(@Nullable String cache, SerializationPair<?> pair) {
      this.cache = cache;
      this.pair = (SerializationPair<Object>) pair;
    }

    boolean decodes(String name, byte[] stored) {
      Object value = decode(name, ByteBuffer.wrap(stored));
      if (value != null) {
        decoded.set(new Decoded(stored, value));
      }
      return value != null;
    }

    private @Nullable Object decode(@Nullable String name, ByteBuffer stored) {
      try {
        return pair.read(stored);
      } catch (RuntimeException e) {
        undecodable(name, e);
        return null;
      }
    }

    @Override
    @SuppressWarnings("ByteBufferBackingArray") // Compared, not read.
    public RedisElementReader<Object> getReader() {
      return buffer -> {
        Decoded handed = decoded.get();
        if (handed != null) {
          decoded.remove();
          if (buffer.hasArray() && buffer.array() == handed.stored()) {
            return handed.value();
          }
        }
        return decode(cache, buffer);
      };
    }

    @Override
    public RedisElementWriter<Object> getWriter() {
      return pair.getWriter();
    }
  }
}
