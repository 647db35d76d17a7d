// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Observe;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.heal.Healing;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ConnectionFacade;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Where a {@link NodePipeline} writes to in place of Lettuce. */
abstract class FakeWriter implements RedisChannelWriter {

  private static final ClientContext CONTEXT =
      new ClientContext(
          BatchingOptions.defaults(),
          Duration.ofSeconds(1),
          new WriteClock(),
          null,
          null,
          new ScriptTexts(),
          new AtomicInteger(),
          new Healing(HealingOptions.defaults(), null, "default"),
          Observe.off(),
          0);

  private static final ClientOptions OPTIONS = ClientOptions.create();

  /** A pipeline that writes here, as yet without a socket. */
  final NodePipeline pipeline() {
    return new NodePipeline(
        this, CONTEXT, false, OPTIONS, new CommandTimeouts(OPTIONS.getTimeoutOptions()));
  }

  /** A command on its way to it. */
  static EncodedCommand<?, ?, ?> ping() {
    return EncodedCommand.encode(
        new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)), false);
  }

  /** Is called with each write. */
  abstract void written(Collection<? extends RedisCommand<?, ?, ?>> commands);

  @Override
  public final <K, V, T> RedisCommand<K, V, T> write(RedisCommand<K, V, T> command) {
    written(List.of(command));
    return command;
  }

  @Override
  @SuppressWarnings("unchecked")
  public final <K, V> Collection<RedisCommand<K, V, ?>> write(
      Collection<? extends RedisCommand<K, V, ?>> commands) {
    written(commands);
    return (Collection<RedisCommand<K, V, ?>>) commands;
  }

  @Override
  public final void close() {}

  @Override
  public final CompletableFuture<Void> closeAsync() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public final ClientResources getClientResources() {
    throw new RejectedExecutionException("There are no timers here");
  }

  @Override
  public final void setConnectionFacade(ConnectionFacade connection) {}

  @Override
  public final void setAutoFlushCommands(boolean autoFlush) {}

  @Override
  public final void flushCommands() {}
}
