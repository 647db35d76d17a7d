package dev.sheaf;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells each {@link CoalescingWriter} of a client about its sockets, now and after every reconnect.
 *
 * <p>A writer is made with the endpoint of its connection; a socket, when it is initialized, has a
 * {@link CommandHandler} with that same endpoint. Both are public in Lettuce, so nothing is forked
 * or opened by force. Should a future Lettuce break this link, writers work without batching; a
 * test of this project fails then.
 *
 * <p>Thread-safe.
 */
final class NodeChannels implements NettyCustomizer {

  private static final String HANDLER_NAME = "sheaf-node-channel";

  private final Map<Object, CoalescingWriter> writers = new ConcurrentHashMap<>();
  private final NettyCustomizer next;

  private NodeChannels(NettyCustomizer next) {
    this.next = next;
  }

  /** Prepares to watch the sockets of a client that uses these resources. */
  static NodeChannels forResources(ClientResources resources) {
    return new NodeChannels(resources.nettyCustomizer());
  }

  /**
   * The resources for that client: the given ones, sharing all threads and pools, with this
   * customizer before the user's own. Shutting down the result shuts down the given ones.
   */
  ClientResources install(ClientResources resources) {
    return resources.mutate().nettyCustomizer(this).build();
  }

  void register(PushHandler endpoint, CoalescingWriter writer) {
    writers.put(endpoint, writer);
  }

  void unregister(PushHandler endpoint) {
    writers.remove(endpoint);
  }

  @Override
  public void afterBootstrapInitialized(Bootstrap bootstrap) {
    next.afterBootstrapInitialized(bootstrap);
  }

  @Override
  public void afterChannelInitialized(Channel channel) {
    ChannelHandlerContext context = channel.pipeline().context(CommandHandler.class);
    if (context != null) {
      Object endpoint = ((CommandHandler) context.handler()).getEndpoint();
      CoalescingWriter writer = writers.get(endpoint);
      if (writer != null) {
        channel.pipeline().addAfter(context.name(), HANDLER_NAME, new NodeChannel(writer, channel));
      }
    }
    next.afterChannelInitialized(channel);
  }
}
