// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.Replies;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.RedisCommand;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What scripts need of the client they belong to. */
public final class ScriptHost<K, V> {

  private final StatefulConnection<K, V> connection;
  private final RedisCodec<K, V> codec;
  private final ClientContext context;
  private final @Nullable MeterRegistry meterRegistry;
  private final String name;

  /** For the scripts of one client. */
  public ScriptHost(
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

  /** The connection, to one server or to a cluster. */
  StatefulConnection<K, V> connection() {
    return connection;
  }

  /** How keys and values are stored. */
  RedisCodec<K, V> codec() {
    return codec;
  }

  /** How values are compressed; null if they are not. */
  @Nullable ValueCompression compression() {
    CompressionEngine engine = context.compression();
    return engine == null ? null : engine.values();
  }

  /** How long a call may take. */
  Duration commandTimeout() {
    return context.commandTimeout();
  }

  /** The client's name in meters. */
  String name() {
    return name;
  }

  /** Where meters are registered, or null. */
  @Nullable MeterRegistry meterRegistry() {
    return meterRegistry;
  }

  /** Waits as blocking commands do, at most the command time-out, with their exceptions. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return Replies.resultOf(future, context.commandTimeout());
  }

  /** Sends what the thread holds back in a batch, because it is about to wait for replies. */
  void beforeWaiting() {
    WriteScope.release();
  }

  /** Runs what sends commands, so that they leave together; waits for room in full queues. */
  void sendTogether(Runnable sending) {
    WriteScope.runBlocking(sending, context.commandTimeout());
  }

  /** Whether the thread collects a batch, and this is the first time it asks for that mark. */
  boolean isFirstInBatch(Object mark) {
    return WriteScope.isFirst(mark);
  }

  /** Sets what each new socket of a node is sent ahead of the first script called there. */
  void sendAheadOfScripts(Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands) {
    context.scriptTexts().comeFrom(commands);
  }
}
