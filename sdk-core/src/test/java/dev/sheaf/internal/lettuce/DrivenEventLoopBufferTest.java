// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoHandlerContext;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sockets of a driven event loop use one buffer, one after the other. */
@Timeout(180)
class DrivenEventLoopBufferTest {

  private final DrivenEventLoopGroup group = new IdleHandler().start();
  private final DrivenEventLoop loop = (DrivenEventLoop) group.next();
  private final ByteBufAllocator allocator = loop.reusing(PooledByteBufAllocator.DEFAULT, true);

  /** Waits until it is woken. */
  private static final class IdleHandler extends SocketlessHandler {

    private final Semaphore wakeUps = new Semaphore(0);

    @Override
    public int run(IoHandlerContext context) {
      if (context.canBlock()) {
        wakeUps.acquireUninterruptibly();
      }
      wakeUps.drainPermits();
      return 0;
    }

    @Override
    public void wakeup() {
      wakeUps.release();
    }
  }

  @BeforeEach
  void drive() {
    while (!loop.tryDrive()) {
      loop.wantDriver();
      Thread.onSpinWait();
    }
  }

  @AfterEach
  void shutDown() {
    if (loop.inEventLoop()) {
      loop.leave();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
  }

  @Test
  void bufferThatIsFree_isHandedOutAgain_andEmpty() {
    ByteBuf first = allocator.ioBuffer();
    first.writeLong(1).readByte();
    first.release();

    ByteBuf second = allocator.ioBuffer(DrivenEventLoop.BUFFER_BYTES);

    assertThat(second).isSameAs(first);
    assertThat(second.readableBytes()).isZero();
    assertThat(second.writableBytes()).isEqualTo(DrivenEventLoop.BUFFER_BYTES);
    second.release();
  }

  @Test
  void socketsOfTheLoop_useTheSameBuffer() {
    ByteBufAllocator other = loop.reusing(PooledByteBufAllocator.DEFAULT, false);
    ByteBuf first = allocator.ioBuffer();
    first.release();

    ByteBuf second = other.ioBuffer();

    assertThat(second).isSameAs(first);
    second.release();
  }

  @Test
  void bufferInUse_isHandedOutToNobodyElse() {
    ByteBuf unwritten = allocator.ioBuffer().writeInt(7);

    ByteBuf read = allocator.ioBuffer().writeInt(8);

    assertThat(read).isNotSameAs(unwritten);
    assertThat(unwritten.readInt()).isEqualTo(7);
    read.release();
    unwritten.release();
  }

  @Test
  void bufferThatSomeoneKeeps_isHandedOutAgainOnlyAfterItsRelease() {
    ByteBuf kept = allocator.ioBuffer().writeInt(7);
    ByteBuf slice = kept.retainedSlice(0, 4);
    kept.release();

    ByteBuf other = allocator.ioBuffer().writeInt(8);

    assertThat(slice.readInt()).isEqualTo(7);
    other.release();
    slice.release();
    ByteBuf again = allocator.ioBuffer();
    assertThat(again).isSameAs(kept);
    again.release();
  }

  @Test
  void bufferThatALargeRequestHasExtended_isReplaced() {
    ByteBuf request = allocator.ioBuffer();
    request.writeZero(10 * DrivenEventLoop.BUFFER_BYTES).release();

    ByteBuf next = allocator.ioBuffer();

    assertThat(next).isNotSameAs(request);
    assertThat(request.refCnt()).isZero();
    assertThat(next.capacity()).isEqualTo(DrivenEventLoop.BUFFER_BYTES);
    next.release();
  }

  @Test
  void otherBuffers_areFromThePool() {
    ByteBuf reused = allocator.ioBuffer();
    reused.release();
    ByteBuf large = allocator.ioBuffer(DrivenEventLoop.BUFFER_BYTES + 1);
    ByteBuf bounded = allocator.ioBuffer(16, 16);
    ByteBuf heap = allocator.heapBuffer();

    assertThat(large.capacity()).isGreaterThan(DrivenEventLoop.BUFFER_BYTES);
    assertThat(bounded.maxCapacity()).isEqualTo(16);
    assertThat(heap.isDirect()).isFalse();
    assertThat(allocator.isDirectBufferPooled()).isTrue();
    large.release();
    bounded.release();
    heap.release();
  }

  @Test
  void threadThatDoesNotOwnTheLoop_getsNoneOfItsBuffer() {
    ByteBuf reused = allocator.ioBuffer();
    reused.release();
    loop.leave();

    ByteBuf other = allocator.ioBuffer();

    assertThat(other).isNotSameAs(reused);
    other.release();
  }

  @Test
  void endOfTheLoop_releasesTheBuffer() {
    ByteBuf reused = allocator.ioBuffer();
    reused.release();

    shutDown();

    assertThat(loop.isTerminated()).isTrue();
    assertThat(reused.refCnt()).isZero();
    ByteBuf afterwards = allocator.ioBuffer();
    assertThat(afterwards.release()).isTrue();
  }

  /** As by a handler of the application that releases what it passes on. */
  @Test
  void bufferThatWasReleasedOnceTooOften_isUsedNoMore_andTheLoopEnds() {
    ByteBuf reused = allocator.ioBuffer();
    reused.release(2);

    ByteBuf other = allocator.ioBuffer();

    assertThat(other).isNotSameAs(reused);
    other.release();
    shutDown();
    assertThat(loop.isTerminated()).isTrue();
  }
}
