package dev.sheaf;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;

/** Lettuce's client for one server, whose connections batch. */
final class CoalescingRedisClient extends RedisClient {

  private final NodeChannels channels;
  private final BatchingOptions batching;
  private final Duration commandTimeout;
  private final WriteClock writes = new WriteClock();

  private CoalescingRedisClient(
      ClientResources resources,
      RedisURI uri,
      NodeChannels channels,
      BatchingOptions batching,
      Duration commandTimeout) {
    super(channels.install(resources), uri);
    this.channels = channels;
    this.batching = batching;
    this.commandTimeout = commandTimeout;
  }

  /**
   * Creates a client; the resources stay the caller's to shut down.
   *
   * @param commandTimeout for commands; the time-out in the URI bounds connecting
   */
  static CoalescingRedisClient create(
      ClientResources resources, RedisURI uri, BatchingOptions batching, Duration commandTimeout) {
    return new CoalescingRedisClient(
        resources, uri, NodeChannels.forResources(resources), batching, commandTimeout);
  }

  /** What this client's connections write. */
  WriteClock writes() {
    return writes;
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer, PushHandler endpoint, RedisCodec<K, V> codec, Duration timeout) {
    return new CoalescingConnection<>(
        channels,
        new CoalescingWriter(writer, batching, false, getOptions(), writes),
        endpoint,
        codec,
        commandTimeout,
        getOptions());
  }
}
