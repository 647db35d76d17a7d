// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.Observe;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.lettuce.DrivenEventLoops;
import dev.sheaf.internal.lettuce.SocketBuffers;
import dev.sheaf.internal.observe.ResourcesView;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.Endpoint;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.tracing.Tracing;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Installs the handlers of this package in each new socket of a client, and connects the socket
 * with its {@link NodeWriter}.
 *
 * <p>A writer is created with the endpoint of its connection. When a socket is initialized, its
 * {@link CommandHandler} has the same endpoint. Both are public in Lettuce, so nothing is forked or
 * opened by reflection. The command handler is replaced with its subclass {@link FlightHandler}. If
 * a future Lettuce breaks this link, writers work without batching, and a test fails.
 *
 * <p>Thread-safe.
 */
public final class ChannelInstaller implements NettyCustomizer {

  private static final String HANDLER_NAME = "sheaf-node-channel";

  private final Map<Object, Link> links = new ConcurrentHashMap<>();
  private final NettyCustomizer next;

  /** Whether one event loop is enough: for a single connection. */
  private final boolean oneLoop;

  private ChannelInstaller(NettyCustomizer next, boolean oneLoop) {
    this.next = next;
    this.oneLoop = oneLoop;
  }

  /** As {@link #forResources}, for a client of one connection. */
  public static ChannelInstaller forLane(ClientResources resources) {
    return new ChannelInstaller(resources.nettyCustomizer(), true);
  }

  /** Creates an installer for the sockets of a client that uses these resources. */
  public static ChannelInstaller forResources(ClientResources resources) {
    return new ChannelInstaller(resources.nettyCustomizer(), false);
  }

  /**
   * The resources for that client: the given ones, with this customizer before the user's own.
   *
   * @param observe whether tracing stays on
   */
  public ClientResources install(ClientResources resources, Observe observe) {
    EventLoopGroupProvider loops =
        DrivenEventLoops.over(resources.eventLoopGroupProvider(), oneLoop);
    Map<String, Object> parts = new HashMap<>();
    parts.put("nettyCustomizer", this);
    parts.put("eventLoopGroupProvider", loops);
    parts.put("reconnectDelay", ReconnectDelays.over(resources.reconnectDelay()));
    if (observe.equals(Observe.off())) {
      parts.put("tracing", Tracing.disabled());
    }
    return ResourcesView.of(resources, parts);
  }

  /** A writer, and the options and codec of the connection it belongs to. */
  private record Link(
      NodeWriter writer, ChannelHandover turns, ClientOptions options, RedisCodec<?, ?> codec) {}

  /** Has the sockets of a connection batch. Called before it is opened. */
  public void register(
      PushHandler endpoint, NodeWriter writer, ClientOptions options, RedisCodec<?, ?> codec) {
    links.put(endpoint, new Link(writer, new ChannelHandover(writer.pipeline()), options, codec));
  }

  public void unregister(PushHandler endpoint) {
    links.remove(endpoint);
  }

  /**
   * Chooses the event loop and the buffers of a connection. Called before it is opened, after
   * {@link #register}.
   */
  public void place(ConnectionBuilder connection) {
    Link link = links.get(connection.endpoint());
    if (link == null) {
      DrivenEventLoops.keepFromDrivers(connection);
    } else if (link.codec().getClass() == StringCodec.class) {
      SocketBuffers.ofStrings(connection.bootstrap());
    }
  }

  @Override
  public void afterBootstrapInitialized(Bootstrap bootstrap) {
    SocketBuffers.pool(bootstrap);
    next.afterBootstrapInitialized(bootstrap);
  }

  @Override
  public void afterChannelInitialized(Channel channel) {
    boolean watched = false;
    ChannelHandlerContext context = channel.pipeline().context(CommandHandler.class);
    if (context != null) {
      Endpoint endpoint = ((CommandHandler) context.handler()).getEndpoint();
      Link link = links.get(endpoint);
      if (link != null) {
        watch(channel.pipeline(), context, endpoint, link);
        watched = true;
      }
    }
    if (!watched && channel.eventLoop() instanceof DrivenEventLoop loop) {
      // Nothing counts its commands, so only the keeper may serve its loop while it is open.
      loop.hold();
      channel.closeFuture().addListener(closed -> loop.release());
    }
    next.afterChannelInitialized(channel);
  }

  private static void watch(
      ChannelPipeline pipeline, ChannelHandlerContext context, Endpoint endpoint, Link link) {
    boolean flights = context.handler().getClass() == CommandHandler.class;
    NodeChannel socket =
        new NodeChannel(link.writer().pipeline(), link.turns(), context.channel(), flights);
    DrivenEventLoop loop = socket.loop();
    if (loop != null) {
      SocketBuffers.share(context.channel(), loop);
    }
    if (flights) {
      FlightHandler reader = FlightHandler.of(link.options(), link.writer(), endpoint);
      reader.reads(socket);
      pipeline.replace(context.handler(), context.name(), reader);
    }
    // Until the channel is active, Lettuce's handshake runs on the event loop.
    socket.hold();
    context.channel().closeFuture().addListener(closed -> socket.endHold());
    pipeline.addAfter(context.name(), HANDLER_NAME, socket);
  }
}
