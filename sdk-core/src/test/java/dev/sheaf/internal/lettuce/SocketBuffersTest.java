// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which allocator the sockets of a client have. */
class SocketBuffersTest {

  @Test
  void socketsOfAClient_haveThePooledAllocator() {
    assertThat(allocators(bootstrap -> {}))
        .isNotEmpty()
        .containsOnly(PooledByteBufAllocator.DEFAULT);
  }

  @Test
  void allocatorThatTheApplicationSets_isKept() {
    assertThat(
            allocators(
                bootstrap ->
                    bootstrap.option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)))
        .isNotEmpty()
        .containsOnly(UnpooledByteBufAllocator.DEFAULT);
  }

  @Test
  void allocatorThatNettysPropertyNames_isKept() {
    System.setProperty(SocketBuffers.CHOICE, "adaptive");
    try {
      assertThat(allocators(bootstrap -> {})).isNotEmpty().containsOnly(ByteBufAllocator.DEFAULT);
    } finally {
      System.clearProperty(SocketBuffers.CHOICE);
    }
  }

  private interface Customizing {
    void customize(Bootstrap bootstrap);
  }

  /** The allocators of the main connection and of that for large values. */
  private static Collection<ByteBufAllocator> allocators(Customizing customizing) {
    Collection<ByteBufAllocator> found = new ConcurrentLinkedQueue<>();
    ClientResources resources =
        ClientResources.builder()
            .nettyCustomizer(
                new NettyCustomizer() {
                  @Override
                  public void afterBootstrapInitialized(Bootstrap bootstrap) {
                    customizing.customize(bootstrap);
                  }

                  @Override
                  public void afterChannelInitialized(Channel channel) {
                    found.add(channel.config().getAllocator());
                  }
                })
            .build();
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(List.of(RedisURI.create(server.uri())))
                .clientResources(resources)
                .connect()) {
      sheaf.sync().set("key", "value");
      assertThat(sheaf.bulk().sync().get("key")).isEqualTo("value");
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
    return found;
  }
}
