package dev.sheaf;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.json.JsonParser;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Lettuce's client for a cluster, whose node connections batch. */
final class CoalescingClusterClient extends RedisClusterClient {

  private final NodeChannels channels;
  private final BatchingOptions batching;
  private final Duration commandTimeout;
  private final WriteClock writes = new WriteClock();

  private CoalescingClusterClient(
      ClientResources resources,
      List<RedisURI> seeds,
      NodeChannels channels,
      BatchingOptions batching,
      Duration commandTimeout) {
    super(channels.install(resources), seeds);
    this.channels = channels;
    this.batching = batching;
    this.commandTimeout = commandTimeout;
  }

  /**
   * Creates a client; the resources stay the caller's to shut down.
   *
   * @param commandTimeout for commands; the time-out in the URI bounds connecting
   */
  static CoalescingClusterClient create(
      ClientResources resources,
      List<RedisURI> seeds,
      BatchingOptions batching,
      Duration commandTimeout) {
    return new CoalescingClusterClient(
        resources, seeds, NodeChannels.forResources(resources), batching, commandTimeout);
  }

  /** What this client's connections write. */
  WriteClock writes() {
    return writes;
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer,
      PushHandler endpoint,
      RedisCodec<K, V> codec,
      Duration timeout,
      Supplier<JsonParser> parser) {
    return new CoalescingConnection<>(
        channels,
        new CoalescingWriter(writer, batching, true, getOptions(), writes),
        endpoint,
        codec,
        commandTimeout,
        getOptions());
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer, PushHandler endpoint, RedisCodec<K, V> codec, Duration timeout) {
    return newStatefulRedisConnection(
        writer, endpoint, codec, timeout, getOptions().getJsonParser());
  }
}
