// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.compression.ValueCompression;
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
public interface ScriptHost<K, V> {

  /** The connection, to one server or to a cluster. */
  StatefulConnection<K, V> connection();

  /** How keys and values are stored. */
  RedisCodec<K, V> codec();

  /** How values are compressed; null if they are not. */
  @Nullable ValueCompression compression();

  /** How long a call may take. */
  Duration commandTimeout();

  /** The client's name in meters. */
  String name();

  /** Where meters are registered, or null. */
  @Nullable MeterRegistry meterRegistry();

  /** Waits as blocking commands do, at most the command time-out, with their exceptions. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future);

  /** Sends what the thread holds back in a batch, because it is about to wait for replies. */
  void beforeWaiting();

  /** Runs what sends commands, so that they leave together; waits for room in full queues. */
  void sendTogether(Runnable sending);

  /** Whether the thread collects a batch, and this is the first time it asks for that mark. */
  boolean isFirstInBatch(Object mark);

  /** Sets what each new socket of a node is sent ahead of the first script called there. */
  void sendAheadOfScripts(Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands);
}
