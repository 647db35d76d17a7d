package dev.sheaf;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A node connection over a {@link CoalescingWriter}. It differs from Lettuce's own in that its
 * time-out reaches the writer that enforces it, which Lettuce looks for on the outside only.
 */
final class CoalescingConnection<K, V> extends StatefulRedisConnectionImpl<K, V> {

  private final NodeChannels channels;
  private final PushHandler endpoint;

  CoalescingConnection(
      NodeChannels channels,
      CoalescingWriter writer,
      PushHandler endpoint,
      RedisCodec<K, V> codec,
      Duration timeout,
      ClientOptions options) {
    super(writer, endpoint, codec, timeout, options.getJsonParser());
    this.channels = channels;
    this.endpoint = endpoint;
    channels.register(endpoint, writer, options);
  }

  @Override
  public void setTimeout(Duration timeout) {
    super.setTimeout(timeout);
    ((CoalescingWriter) getChannelWriter()).setTimeout(timeout);
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    channels.unregister(endpoint);
    return super.closeAsync();
  }
}
