package dev.sheaf.internal.connect;

import dev.sheaf.internal.engine.ClientContext;
import dev.sheaf.internal.engine.CoalescingWriter;
import dev.sheaf.internal.engine.NodeChannels;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;

/** Lettuce's client for one server, whose connections batch. */
public final class CoalescingRedisClient extends RedisClient {

  private final NodeChannels channels;
  private final ClientContext context;

  private CoalescingRedisClient(
      ClientResources resources, RedisURI uri, NodeChannels channels, ClientContext context) {
    super(channels.install(resources), uri);
    this.channels = channels;
    this.context = context;
  }

  /** Creates a client; the resources stay the caller's to shut down. */
  public static CoalescingRedisClient create(
      ClientResources resources, RedisURI uri, ClientContext context) {
    return new CoalescingRedisClient(resources, uri, NodeChannels.forResources(resources), context);
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer, PushHandler endpoint, RedisCodec<K, V> codec, Duration timeout) {
    return new CoalescingConnection<>(
        channels,
        new CoalescingWriter(writer, context, false, getOptions()),
        endpoint,
        codec,
        context,
        getOptions());
  }
}
