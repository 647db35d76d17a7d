// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which allocator the sockets of a client have. */
class SocketBuffersTest {

  @Test
  void socketsOfAClient_haveThePooledAllocator() {
    assertThat(allocators(ByteArrayCodec.INSTANCE, bootstrap -> {}))
        .isNotEmpty()
        .containsOnly(PooledByteBufAllocator.DEFAULT);
  }

  @Test
  void repliesOfStrings_areCollectedOnTheHeap_fromDirectBuffers() {
    assertThat(allocators(StringCodec.UTF8, bootstrap -> {}))
        .isNotEmpty()
        .allSatisfy(
            allocator -> {
              assertThat(allocator).isInstanceOf(PooledByteBufAllocator.class);
              assertThat(isDirect(allocator.buffer())).isFalse();
              assertThat(isDirect(allocator.ioBuffer())).isTrue();
            });
  }

  /** It may keep the buffer it is given, or take all of its array. */
  @Test
  void codecOfTheApplication_getsNoArrayThatIsShared() {
    assertThat(allocators(new StringCodec(StandardCharsets.UTF_8) {}, bootstrap -> {}))
        .isNotEmpty()
        .allSatisfy(allocator -> assertThat(isDirect(allocator.buffer())).isTrue());
  }

  private static boolean isDirect(ByteBuf buffer) {
    try {
      return buffer.isDirect();
    } finally {
      buffer.release();
    }
  }

  @Test
  void allocatorThatTheApplicationSets_isKept() {
    assertThat(
            allocators(
                StringCodec.UTF8,
                bootstrap ->
                    bootstrap.option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)))
        .isNotEmpty()
        .containsOnly(UnpooledByteBufAllocator.DEFAULT);
  }

  @Test
  void allocatorThatNettysPropertyNames_isKept() {
    System.setProperty(SocketBuffers.CHOICE, "adaptive");
    try {
      assertThat(allocators(StringCodec.UTF8, bootstrap -> {}))
          .isNotEmpty()
          .containsOnly(ByteBufAllocator.DEFAULT);
    } finally {
      System.clearProperty(SocketBuffers.CHOICE);
    }
  }

  private interface Customizing {
    void customize(Bootstrap bootstrap);
  }

  /** The allocators of the main connection and of that for large values. */
  private static <T> Collection<ByteBufAllocator> allocators(
      RedisCodec<T, T> codec, Customizing customizing) {
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
        Sheaf<T, T> sheaf =
            Sheaf.builder(List.of(RedisURI.create(server.uri())))
                .codec(codec)
                .clientResources(resources)
                .connect()) {
      sheaf.sync().ping();
      sheaf.bulk().sync().ping();
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
    return found;
  }
}
