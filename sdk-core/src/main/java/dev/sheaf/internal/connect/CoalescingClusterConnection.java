package dev.sheaf.internal.connect;

import dev.sheaf.internal.waiting.AwaitedCommand;
import dev.sheaf.internal.waiting.Deadlines;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.cluster.ClusterPushHandler;
import io.lettuce.core.cluster.RedisAdvancedClusterAsyncCommandsImpl;
import io.lettuce.core.cluster.StatefulRedisClusterConnectionImpl;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.json.JsonParser;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A cluster connection that differs from Lettuce's own in how threads wait for its commands; see
 * {@link AwaitedCommand}.
 */
final class CoalescingClusterConnection<K, V> extends StatefulRedisClusterConnectionImpl<K, V> {

  private final Deadlines deadlines;

  CoalescingClusterConnection(
      RedisChannelWriter writer,
      ClusterPushHandler pushHandler,
      RedisCodec<K, V> codec,
      Duration timeout,
      Supplier<JsonParser> parser,
      Deadlines deadlines) {
    super(writer, pushHandler, codec, timeout, parser);
    this.deadlines = deadlines;
  }

  @Override
  protected RedisAdvancedClusterAsyncCommandsImpl<K, V> newRedisAdvancedClusterAsyncCommandsImpl() {
    StatefulRedisClusterConnection<K, V> connection = this;
    return new RedisAdvancedClusterAsyncCommandsImpl<>(connection, codec, parser) {
      @Override
      public <T> AsyncCommand<K, V, T> dispatch(RedisCommand<K, V, T> command) {
        return AwaitedCommand.dispatch(command, connection, deadlines);
      }
    };
  }
}
