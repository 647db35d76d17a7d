// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that drive an event loop by turns, look for replies, give it tasks, and leave it to its
 * keeper. On real threads, because the selector cannot be walked through.
 *
 * <p>Hunted for: two owners at a time, a task that runs twice or never, and a wake-up that is lost.
 */
@Tag("slow")
@Timeout(300)
class DrivenEventLoopThreadsTest {

  private static final int THREADS = 4;
  private static final int ROUNDS = 5_000;
  private static final int LOOKS = 5;

  private final ExecutorService answering = Executors.newSingleThreadExecutor();

  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger together = new AtomicInteger();
  private final AtomicInteger elsewhere = new AtomicInteger();
  private final AtomicInteger ran = new AtomicInteger();
  private final AtomicInteger drives = new AtomicInteger();
  private final AtomicInteger looks = new AtomicInteger();

  private CompletableFuture<Void> task(DrivenEventLoop loop) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          if (inside.incrementAndGet() != 1) {
            together.incrementAndGet();
          }
          if (!loop.inEventLoop()) {
            elsewhere.incrementAndGet();
          }
          ran.incrementAndGet();
          inside.decrementAndGet();
          done.complete(null);
        });
    return done;
  }

  private Void work(DrivenEventLoop loop, int number) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      if ((round + number) % 3 == 0) {
        // Parks until the owner of the moment has run it.
        task(loop).get(60, TimeUnit.SECONDS);
      } else if (loop.tryDrive()) {
        drives.incrementAndGet();
        if (round % 2 == 0) {
          look(loop);
          continue;
        }
        loop.drive(task(loop), System.nanoTime() + Duration.ofSeconds(60).toNanos(), 0);
        loop.leave();
      } else {
        loop.wantDriver();
        task(loop).get(60, TimeUnit.SECONDS);
      }
    }
    return null;
  }

  /** Sends a command whose reply another thread brings, looks for it, and then parks. */
  private void look(DrivenEventLoop loop) throws Exception {
    CompletableFuture<Void> reply = new CompletableFuture<>();
    boolean alone = loop.isIdle();
    loop.written(1, 0);
    answering.execute(
        () ->
            loop.execute(
                () -> {
                  loop.answered(1, 0);
                  reply.complete(null);
                }));
    looks.incrementAndGet();
    loop.look(reply, alone ? LOOKS : 0);
    reply.get(60, TimeUnit.SECONDS);
  }

  static Stream<IoHandlerFactory> transports() {
    return Epoll.isAvailable()
        ? Stream.of(NioIoHandler.newFactory(), EpollIoHandler.newFactory())
        : Stream.of(NioIoHandler.newFactory());
  }

  @ParameterizedTest
  @MethodSource("transports")
  void loopHasOneOwner_andRunsEachTaskOnce(IoHandlerFactory transport) throws Exception {
    DrivenEventLoopGroup group =
        new DrivenEventLoopGroup(1, 0, transport, Executors.defaultThreadFactory());
    DrivenEventLoop loop = (DrivenEventLoop) group.next();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      CyclicBarrier start = new CyclicBarrier(THREADS);
      List<Future<Void>> working = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        working.add(
            threads.submit(
                () -> {
                  start.await();
                  return work(loop, number);
                }));
      }
      for (Future<Void> each : working) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
      answering.shutdownNow();
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).get();
    }
    assertThat(together).hasValue(0);
    assertThat(elsewhere).hasValue(0);
    assertThat(ran).hasValue(THREADS * ROUNDS - looks.get());
    assertThat(looks).hasPositiveValue();
    assertThat(drives).hasPositiveValue();
  }
}
