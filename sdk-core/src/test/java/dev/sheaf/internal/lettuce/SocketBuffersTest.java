// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Which allocator the sockets of a client have. */
class SocketBuffersTest {

  @Test
  void socketsOfAClient_haveBuffersOfNettysPool() {
    assertThat(allocators(ByteArrayCodec.INSTANCE, bootstrap -> {}))
        .isNotEmpty()
        .allSatisfy(
            allocator -> {
              ByteBuf buffer = allocator.buffer();
              assertThat(buffer.alloc()).isSameAs(PooledByteBufAllocator.DEFAULT);
              assertThat(isDirect(buffer)).isTrue();
            });
  }

  /** Netty keeps none for a caller that drives: each request and each reply would cost one. */
  @Test
  void repliesToACallerThatDrives_areReadIntoTheSameBuffer() {
    Set<Integer> buffers = ConcurrentHashMap.newKeySet();
    AtomicInteger reads = new AtomicInteger();
    Thread caller = Thread.currentThread();
    withClient(
        StringCodec.UTF8,
        bootstrap -> {},
        channel ->
            channel
                .pipeline()
                .addFirst(
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext context, Object message) {
                        if (Thread.currentThread() == caller) {
                          reads.incrementAndGet();
                          buffers.add(System.identityHashCode(message));
                        }
                        context.fireChannelRead(message);
                      }
                    }),
        sheaf -> {
          for (int i = 0; i < 10_000 && reads.get() < 100; i++) {
            sheaf.sync().set("key", "value");
          }
        });
    assertThat(reads).hasValue(100);
    assertThat(buffers).hasSize(1);
  }

  @Test
  void repliesOfStrings_areCollectedOnTheHeap_fromDirectBuffers() {
    assertThat(allocators(StringCodec.UTF8, bootstrap -> {}))
        .isNotEmpty()
        .allSatisfy(
            allocator -> {
              ByteBuf collecting = allocator.buffer();
              assertThat(collecting.alloc()).isInstanceOf(PooledByteBufAllocator.class);
              assertThat(isDirect(collecting)).isFalse();
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
    withClient(
        codec,
        customizing,
        channel -> found.add(channel.config().getAllocator()),
        sheaf -> {
          sheaf.sync().ping();
          sheaf.bulk().sync().ping();
        });
    return found;
  }

  /**
   * Runs code with a client.
   *
   * @param opening sees each socket of it
   */
  private static <T> void withClient(
      RedisCodec<T, T> codec,
      Customizing customizing,
      Consumer<Channel> opening,
      Consumer<Sheaf<T, T>> code) {
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
                    opening.accept(channel);
                  }
                })
            .build();
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<T, T> sheaf =
            Sheaf.builder(List.of(RedisURI.create(server.uri())))
                .codec(codec)
                .clientResources(resources)
                // A second event loop would have a buffer of its own.
                .batching(BatchingOptions.builder().maxLanes(0).build())
                .connect()) {
      code.accept(sheaf);
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
  }
}
