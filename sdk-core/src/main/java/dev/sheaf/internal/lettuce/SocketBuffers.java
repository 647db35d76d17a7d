// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;

/**
 * The allocator of socket buffers: Netty's pooled one, unless the application has chosen another.
 *
 * <p>Netty's default, the adaptive allocator, often allocates the buffer of a large read anew and
 * frees it afterwards. From JDK 24 on, Netty frees a direct buffer by closing a shared arena, for
 * which the JVM stops every thread for a moment: hundreds of times a second where 64 threads read.
 *
 * <p>Lettuce collects the bytes of a reply in a buffer. It is on the heap if the connection has
 * Lettuce's codec for strings, which then decodes a value without copying it first. Connections
 * with a codec of the application get direct buffers, as from Lettuce: it need not know that the
 * array behind a heap buffer is shared.
 */
public final class SocketBuffers {

  /** Netty's own property to choose an allocator. */
  static final String CHOICE = "io.netty.allocator.type";

  /**
   * Direct buffers for sockets, heap buffers for everything else.
   *
   * <p>A connection keeps its heap buffer, so that one arena serves all of them. Each arena has at
   * least a chunk of 4 MiB, for which G1 often sets aside 8: an array that is a little larger than
   * a region takes two of them.
   */
  private static final PooledByteBufAllocator COLLECTING_ON_HEAP =
      new PooledByteBufAllocator(
          false,
          1,
          PooledByteBufAllocator.defaultNumDirectArena(),
          PooledByteBufAllocator.defaultPageSize(),
          PooledByteBufAllocator.defaultMaxOrder(),
          PooledByteBufAllocator.defaultSmallCacheSize(),
          PooledByteBufAllocator.defaultNormalCacheSize(),
          PooledByteBufAllocator.defaultUseCacheForAllThreads());

  private static final AttributeKey<Boolean> STRINGS =
      AttributeKey.valueOf(SocketBuffers.class, "strings");

  private SocketBuffers() {}

  /** Marks a connection that has Lettuce's codec for strings. Called before {@link #pool}. */
  public static void ofStrings(Bootstrap bootstrap) {
    bootstrap.attr(STRINGS, true);
  }

  /** Sets the allocator of the sockets of a client, before the application's own customizer. */
  public static void pool(Bootstrap bootstrap) {
    if (System.getProperty(CHOICE) == null) {
      boolean strings = bootstrap.config().attrs().containsKey(STRINGS);
      bootstrap.option(
          ChannelOption.ALLOCATOR, strings ? COLLECTING_ON_HEAP : PooledByteBufAllocator.DEFAULT);
    }
  }

  /**
   * Has a new socket of a driven event loop share the loop's buffer, if its allocator is one of
   * these. Called before the application's own customizer.
   */
  public static void share(Channel socket, DrivenEventLoop loop) {
    ByteBufAllocator pool = socket.config().getAllocator();
    if (pool == COLLECTING_ON_HEAP || pool == PooledByteBufAllocator.DEFAULT) {
      socket.config().setAllocator(loop.reusing(pool, pool != COLLECTING_ON_HEAP));
    }
  }
}
