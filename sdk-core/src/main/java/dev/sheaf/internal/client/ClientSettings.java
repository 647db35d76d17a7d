// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Observe;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.internal.sync.LoopLearning;
import dev.sheaf.internal.sync.LoopSampler;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options that a builder has collected, with the meanings that {@link dev.sheaf.SheafBuilder}
 * documents. Not thread-safe while they are collected.
 */
public final class ClientSettings<K, V> {

  /** Long enough for a busy server or a TLS handshake, short enough to report a dead host. */
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Enough that a few unreachable or stale nodes do not decide, and that most clusters are asked as
   * a whole.
   */
  public static final int TOPOLOGY_SOURCES = 10;

  public final List<RedisURI> uris;
  public final RedisCodec<K, V> codec;
  public Duration connectTimeout = CONNECT_TIMEOUT;
  public @Nullable Duration commandTimeout;
  public BatchingOptions batching = BatchingOptions.defaults();
  public @Nullable CompressionOptions compression;
  public @Nullable ClientOptions clientOptions;
  public @Nullable ClientResources clientResources;
  public @Nullable MeterRegistry meterRegistry;
  public @Nullable AvailabilityOptions availability;
  public HealingOptions healing = HealingOptions.defaults();
  public int topologySources = TOPOLOGY_SOURCES;
  public String name = "default";
  public boolean loopDetection = true;
  public Function<String, String> loopAdvice = LoopSampler::remedyFor;
  public @Nullable LoopLearning loopLearning;
  public boolean yielding;
  public Observe observe = Observe.commands();

  /** The defaults for servers at the given addresses, at least one. */
  public ClientSettings(List<RedisURI> uris, RedisCodec<K, V> codec) {
    this.uris = uris;
    this.codec = codec;
  }

  /** Returns a copy that later changes to the builder do not affect. */
  public ClientSettings<K, V> copy() {
    return withCodec(codec);
  }

  /** Returns the same settings for other types of keys and values. */
  public <K2, V2> ClientSettings<K2, V2> withCodec(RedisCodec<K2, V2> other) {
    ClientSettings<K2, V2> copy = new ClientSettings<>(uris, other);
    copy.connectTimeout = connectTimeout;
    copy.commandTimeout = commandTimeout;
    copy.batching = batching;
    copy.compression = compression;
    copy.clientOptions = clientOptions;
    copy.clientResources = clientResources;
    copy.meterRegistry = meterRegistry;
    copy.availability = availability;
    copy.healing = healing;
    copy.topologySources = topologySources;
    copy.name = name;
    copy.loopDetection = loopDetection;
    copy.loopAdvice = loopAdvice;
    copy.loopLearning = loopLearning;
    copy.yielding = yielding;
    copy.observe = observe;
    return copy;
  }
}
