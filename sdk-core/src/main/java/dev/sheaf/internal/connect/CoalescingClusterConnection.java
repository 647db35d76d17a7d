// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.wait.AwaitedCommand;
import dev.sheaf.internal.wait.Deadlines;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.ClusterPushHandler;
import io.lettuce.core.cluster.RedisAdvancedClusterAsyncCommandsImpl;
import io.lettuce.core.cluster.StatefulRedisClusterConnectionImpl;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.json.JsonParser;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Lettuce's cluster connection with two changes: threads wait for its commands through {@link
 * AwaitedCommand}, and commands keep their order while connections to nodes are being opened
 * ({@link UntilConnected}).
 */
public final class CoalescingClusterConnection<K, V>
    extends StatefulRedisClusterConnectionImpl<K, V>
    implements StatefulRedisClusterConnection<K, V> {

  private final Deadlines deadlines;
  private final UntilConnected<K, V> untilConnected;

  CoalescingClusterConnection(
      RedisChannelWriter writer,
      ClusterPushHandler pushHandler,
      RedisCodec<K, V> codec,
      Duration timeout,
      Supplier<JsonParser> parser,
      ClientContext context,
      Deadlines deadlines) {
    super(writer, pushHandler, codec, timeout, parser);
    this.deadlines = deadlines;
    this.untilConnected = new UntilConnected<>(this, context, this::send);
  }

  /** The time-outs of its blocking commands. */
  Deadlines deadlines() {
    return deadlines;
  }

  private void send(RedisCommand<K, V, ?> command) {
    super.dispatch(command);
  }

  @Override
  public <T> RedisCommand<K, V, T> dispatch(RedisCommand<K, V, T> command) {
    return untilConnected.isOver() || !untilConnected.holdIfConnecting(command)
        ? super.dispatch(command)
        : command;
  }

  @Override
  public Collection<RedisCommand<K, V, ?>> dispatch(
      Collection<? extends RedisCommand<K, V, ?>> commands) {
    if (untilConnected.isOver()) {
      return super.dispatch(commands);
    }
    List<RedisCommand<K, V, ?>> dispatched = new ArrayList<>(commands.size());
    for (RedisCommand<K, V, ?> command : commands) {
      dispatched.add(dispatch(command));
    }
    return dispatched;
  }

  @Override
  public void setPartitions(Partitions partitions) {
    untilConnected.nodesChange();
    try {
      super.setPartitions(partitions);
    } finally {
      untilConnected.nodesChanged();
    }
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    CompletableFuture<Void> closing = super.closeAsync();
    untilConnected.close();
    return closing;
  }

  /** Whether commands for a node wait for its connection and must not be overtaken. */
  public boolean holdsFor(RedisClusterNode node) {
    return untilConnected.holdsFor(node);
  }

  @Override
  protected RedisAdvancedClusterAsyncCommandsImpl<K, V> newRedisAdvancedClusterAsyncCommandsImpl() {
    return new AwaitedCommands();
  }

  /**
   * Lettuce's asynchronous commands, as {@link AwaitedCommand}s. Public, because Lettuce's blocking
   * commands call it by reflection.
   */
  public final class AwaitedCommands extends RedisAdvancedClusterAsyncCommandsImpl<K, V>
      implements RedisAdvancedClusterAsyncCommands<K, V> {

    AwaitedCommands() {
      super(
          (StatefulRedisClusterConnection<K, V>) CoalescingClusterConnection.this,
          CoalescingClusterConnection.this.codec,
          CoalescingClusterConnection.this.parser);
    }

    @Override
    public RedisFuture<V> get(K key) {
      RedisCodec<K, V> codec = CoalescingClusterConnection.this.codec;
      return key == null
          ? super.get(key)
          : dispatch(RequestEncoder.newGet(key, new ValueOutput<>(codec), codec));
    }

    @Override
    public <T> AsyncCommand<K, V, T> dispatch(RedisCommand<K, V, T> command) {
      return AwaitedCommand.dispatch(command, CoalescingClusterConnection.this, deadlines);
    }
  }

  /** Whether reads go where writes go. */
  public static boolean readsPrimaries(StatefulRedisClusterConnection<?, ?> cluster) {
    try {
      ReadFrom readFrom = cluster.getReadFrom();
      return readFrom == null || readFrom == ReadFrom.UPSTREAM;
    } catch (NullPointerException closed) {
      // Lettuce drops its routes when it closes, and reports that itself.
      return false;
    }
  }
}
