// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;

/**
 * The allocator of socket buffers: Netty's pooled one, unless the application has chosen another.
 *
 * <p>Netty's default, the adaptive allocator, often allocates the buffer of a large read anew and
 * frees it afterwards. From JDK 24 on, Netty frees a direct buffer by closing a shared arena, for
 * which the JVM stops every thread for a moment: hundreds of times a second where 64 threads read.
 */
public final class SocketBuffers {

  /** Netty's own property to choose an allocator. */
  static final String CHOICE = "io.netty.allocator.type";

  private SocketBuffers() {}

  /** Sets the allocator of the sockets of a client, before the application's own customizer. */
  public static void pool(Bootstrap bootstrap) {
    if (System.getProperty(CHOICE) == null) {
      bootstrap.option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    }
  }
}
