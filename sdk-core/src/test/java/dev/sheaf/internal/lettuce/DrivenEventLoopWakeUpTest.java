// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.Await;
import io.netty.channel.IoHandlerContext;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Wake-ups that come just before the owner of an event loop blocks. Netty's epoll handler drops
 * them there; the event loop must see their cause when it is asked whether it can block.
 */
@Timeout(180)
class DrivenEventLoopWakeUpTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final LateHandler handler = new LateHandler();
  private final DrivenEventLoopGroup group = handler.start();
  private final DrivenEventLoop loop = (DrivenEventLoop) group.next();

  /** Waits in place of sockets, and drops wake-ups until it has been about to block. */
  private static final class LateHandler extends SocketlessHandler {

    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore goOn = new Semaphore(0);
    private final Semaphore wakeUps = new Semaphore(0);
    private volatile boolean heard;
    private volatile boolean stopping = true;

    /** Whether each turn could block. Owner only. */
    private final List<Boolean> looks = new ArrayList<>();

    /** What happens in the turn of this number. */
    private Runnable arrives = () -> {};

    private int whenLooked;

    @Override
    public int run(IoHandlerContext context) {
      looks.add(context.canBlock());
      if (looks.size() == whenLooked) {
        arrives.run();
      }
      if (stopping && context.canBlock()) {
        arrived.release();
        goOn.acquireUninterruptibly();
      }
      heard = true;
      if (context.canBlock()) {
        wakeUps.acquireUninterruptibly();
      }
      heard = false;
      return 0;
    }

    @Override
    public void wakeup() {
      if (heard) {
        wakeUps.release();
      }
    }

    /** Runs something while the owner of the loop is about to block. */
    private void beforeBlocking(Runnable cause) throws InterruptedException {
      assertThat(arrived.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
      stopping = false;
      cause.run();
      goOn.release();
    }
  }

  @AfterEach
  void endLoop() {
    handler.wakeUps.release(1_000);
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(30, TimeUnit.SECONDS);
  }

  @Test
  void shutdown_endsTheKeeper() throws Exception {
    Future<?> ended = group.terminationFuture();

    handler.beforeBlocking(() -> group.shutdownGracefully(0, 0, TimeUnit.SECONDS));

    assertThat(ended.await(PATIENCE.toMillis())).isTrue();
  }

  @Test
  void callerThatWantsToDrive_getsTheLoop() throws Exception {
    handler.beforeBlocking(loop::wantDriver);

    Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
    loop.leave();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void replyThatAnotherThreadCompletes_endsTheDriversWait(int yields) throws Exception {
    handler.beforeBlocking(loop::wantDriver);
    CompletableFuture<String> reply = new CompletableFuture<>();
    Thread driver =
        new Thread(
            () -> {
              Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
              handler.stopping = true;
              loop.drive(reply, System.nanoTime() + Duration.ofHours(1).toNanos(), yields);
              loop.leave();
            });
    driver.start();

    handler.beforeBlocking(() -> reply.complete("value"));

    driver.join(PATIENCE.toMillis());
    assertThat(driver.isAlive()).isFalse();
  }

  /** It must not block: that would wait for the other thread. */
  @Test
  void driverThatYields_looksAtTheSocketsBeforeItBlocks() throws Exception {
    handler.beforeBlocking(loop::wantDriver);
    Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
    CompletableFuture<String> reply = new CompletableFuture<>();
    handler.looks.clear();
    handler.whenLooked = 3;
    handler.arrives = () -> reply.complete("value");
    loop.drive(reply, System.nanoTime() + Duration.ofHours(1).toNanos(), 3);
    loop.leave();

    assertThat(handler.looks).containsExactly(false, false, false);
  }

  @Test
  void shutdown_endsTheDriversWait() throws Exception {
    handler.beforeBlocking(loop::wantDriver);
    Thread driver =
        new Thread(
            () -> {
              Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
              handler.stopping = true;
              loop.drive(
                  new CompletableFuture<>(), System.nanoTime() + Duration.ofHours(1).toNanos(), 0);
              loop.leave();
            });
    driver.start();

    handler.beforeBlocking(() -> group.shutdownGracefully(0, 0, TimeUnit.SECONDS));

    driver.join(PATIENCE.toMillis());
    assertThat(driver.isAlive()).isFalse();
  }
}
