// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.pipeline.ChannelInstaller;
import dev.sheaf.internal.pipeline.Lanes;
import dev.sheaf.internal.pipeline.NodePipeline;
import dev.sheaf.internal.pipeline.NodeWriter;
import dev.sheaf.internal.wait.AwaitedCommand;
import dev.sheaf.internal.wait.Deadlines;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisAsyncCommandsImpl;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.json.JsonParser;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's node connection over a {@link NodeWriter}, with two changes: threads wait for its
 * commands through {@link AwaitedCommand}, and its time-out is passed on to the expiry writer,
 * which Lettuce only finds as the outermost writer.
 */
final class CoalescingConnection<K, V> extends StatefulRedisConnectionImpl<K, V>
    implements StatefulRedisConnection<K, V> {

  private final @Nullable Lanes lanes;
  private final ChannelInstaller channels;
  private final PushHandler endpoint;
  private final Supplier<JsonParser> parser;
  private final Deadlines deadlines;

  CoalescingConnection(
      ChannelInstaller channels,
      NodeWriter writer,
      PushHandler endpoint,
      RedisCodec<K, V> codec,
      Deadlines deadlines,
      Duration commandTimeout,
      ClientOptions options,
      @Nullable Lanes lanes) {
    super(writer, endpoint, codec, commandTimeout, options.getJsonParser());
    this.parser = options.getJsonParser();
    this.deadlines = deadlines;
    this.lanes = lanes;
    this.channels = channels;
    this.endpoint = endpoint;
    channels.register(endpoint, writer, options, codec);
  }

  /** The time-outs of its blocking commands. */
  Deadlines deadlines() {
    return deadlines;
  }

  /** The queue of this connection. */
  NodePipeline pipeline() {
    return ((NodeWriter) getChannelWriter()).pipeline();
  }

  /** Called by the superclass's constructor, before the fields of this class are set. */
  @Override
  protected RedisAsyncCommandsImpl<K, V> newRedisAsyncCommandsImpl() {
    return new AwaitedCommands();
  }

  /**
   * Lettuce's asynchronous commands, as {@link AwaitedCommand}s. Public, because Lettuce's blocking
   * commands call it by reflection.
   */
  public final class AwaitedCommands extends RedisAsyncCommandsImpl<K, V>
      implements RedisAsyncCommands<K, V> {

    AwaitedCommands() {
      super(CoalescingConnection.this, CoalescingConnection.this.codec, () -> parser.get());
    }

    @Override
    public RedisFuture<V> get(K key) {
      RedisCodec<K, V> codec = CoalescingConnection.this.codec;
      return key == null
          ? super.get(key)
          : dispatch(RequestEncoder.newGet(key, new ValueOutput<>(codec), codec));
    }

    @Override
    public <T> AsyncCommand<K, V, T> dispatch(RedisCommand<K, V, T> command) {
      return AwaitedCommand.dispatch(command, CoalescingConnection.this, deadlines);
    }
  }

  @Override
  public void setTimeout(Duration timeout) {
    super.setTimeout(timeout);
    ((NodeWriter) getChannelWriter()).setTimeout(timeout);
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    channels.unregister(endpoint);
    CompletableFuture<Void> closing = super.closeAsync();
    return lanes == null ? closing : CompletableFuture.allOf(closing, lanes.closeAsync());
  }
}
