// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.Replies;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.internal.scripts.ScriptHost;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.RedisCommand;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What scripts see of their client. */
final class ScriptClient<K, V> implements ScriptHost<K, V> {

  private final StatefulConnection<K, V> connection;
  private final RedisCodec<K, V> codec;
  private final ClientContext context;
  private final @Nullable MeterRegistry meterRegistry;
  private final String name;

  ScriptClient(
      StatefulConnection<K, V> connection,
      RedisCodec<K, V> codec,
      ClientContext context,
      @Nullable MeterRegistry meterRegistry,
      String name) {
    this.connection = connection;
    this.codec = codec;
    this.context = context;
    this.meterRegistry = meterRegistry;
    this.name = name;
  }

  @Override
  public StatefulConnection<K, V> connection() {
    return connection;
  }

  @Override
  public RedisCodec<K, V> codec() {
    return codec;
  }

  @Override
  public @Nullable ValueCompression compression() {
    CompressionEngine engine = context.compression();
    return engine == null ? null : engine.values();
  }

  @Override
  public Duration commandTimeout() {
    return context.commandTimeout();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public @Nullable MeterRegistry meterRegistry() {
    return meterRegistry;
  }

  @Override
  public <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return Replies.resultOf(future, context.commandTimeout());
  }

  @Override
  public void beforeWaiting() {
    WriteScope.release();
  }

  @Override
  public void sendTogether(Runnable sending) {
    WriteScope.runBlocking(sending, context.commandTimeout());
  }

  @Override
  public boolean isFirstInBatch(Object mark) {
    return WriteScope.isFirst(mark);
  }

  @Override
  public void sendAheadOfScripts(
      Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands) {
    context.scriptTexts().comeFrom(commands);
  }
}
