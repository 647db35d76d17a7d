package dev.sheaf.internal.sync;

import dev.sheaf.internal.compression.CallerOutput;
import dev.sheaf.internal.connect.ConnectedServer;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A blocking GET as Lettuce does it, but without its reflection, and with the value decompressed by
 * the thread that waits for it: that one has nothing else to do, while the event loop has the
 * replies of all others.
 *
 * <p>Thread-safe.
 */
public final class BlockingGet<K, V> {

  private final RedisClusterAsyncCommands<K, V> async;
  private final StatefulConnection<K, V> connection;
  private final KeyLoops<K, V> loops;

  /** How values are read where the caller decompresses them; null without compression. */
  private final @Nullable RedisCodec<K, V> decompressing;

  private BlockingGet(
      ConnectedServer<K, V> server,
      KeyLoops<K, V> loops,
      @Nullable RedisCodec<K, V> decompressing) {
    this.async = server.async();
    this.connection = server.connection();
    this.loops = loops;
    this.decompressing = decompressing;
  }

  /**
   * Null where the time-outs of commands differ, which Lettuce alone knows.
   *
   * @param decompressing the client's codec if values may be compressed, else null
   */
  public static <K, V> @Nullable BlockingGet<K, V> of(
      ConnectedServer<K, V> server,
      KeyLoops<K, V> loops,
      @Nullable RedisCodec<K, V> decompressing) {
    TimeoutOptions timeouts = server.connection().getOptions().getTimeoutOptions();
    return timeouts.isTimeoutCommands() && !timeouts.isApplyConnectionTimeout()
        ? null
        : new BlockingGet<>(server, loops, decompressing);
  }

  /** The value; null if there is none, and in a transaction. */
  @Nullable V get(K key) {
    RedisCodec<K, V> codec = decompressing;
    // In a transaction the value comes with EXEC, which knows nothing of this thread.
    return codec == null || loops.isInTransaction()
        ? await(async.get(key))
        : getAndDecode(key, codec);
  }

  private @Nullable V getAndDecode(K key, RedisCodec<K, V> codec) {
    CallerOutput<K, V> output = new CallerOutput<>(codec);
    return output.decoded(
        await(async.dispatch(CommandType.GET, output, new CommandArgs<>(codec).addKey(key))));
  }

  private @Nullable V await(RedisFuture<V> value) {
    return loops.isInTransaction()
        ? null
        : LettuceFutures.awaitOrCancel(
            value, connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
  }
}
