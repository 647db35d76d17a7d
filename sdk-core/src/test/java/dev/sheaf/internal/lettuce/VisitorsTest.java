// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.Await;
import io.netty.channel.IoHandlerContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Visitors of an event loop, which may not drive it: they look for their replies, and leave it to
 * others meanwhile.
 */
@Timeout(180)
class VisitorsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ATTEMPTS = 50;
  private static final int MANY_LOOKS = 100_000;

  private final Thread caller = Thread.currentThread();
  private final Replies replies = new Replies();
  private final DrivenEventLoopGroup group = replies.start();
  private final DrivenEventLoop loop = (DrivenEventLoop) group.next();
  private CompletableFuture<String> reply = new CompletableFuture<>();

  /** Something arrives, once, at a given look of the caller, or as soon as the keeper looks. */
  private final class Replies extends SocketlessHandler {

    private final Semaphore wakeUps = new Semaphore(0);

    /** How often the caller looks in vain. */
    private int vain;

    /** How often it has looked since it sent something. */
    private int looks;

    private volatile Thread looking = caller;

    private final AtomicReference<Runnable> arrives = new AtomicReference<>();

    /** The thread that read it. */
    private volatile Thread reader;

    @Override
    public int run(IoHandlerContext context) {
      Thread thread = Thread.currentThread();
      if (thread.equals(looking)) {
        looks++;
      }
      if (arrives.get() != null && (!thread.equals(caller) || looks > vain)) {
        reader = thread;
        arrives.getAndSet(null).run();
      }
      if (context.canBlock()) {
        wakeUps.acquireUninterruptibly();
      }
      return 0;
    }

    @Override
    public void wakeup() {
      wakeUps.release();
    }
  }

  @BeforeEach
  void own() {
    takeTheLoop();
  }

  private void takeTheLoop() {
    loop.wantDriver();
    Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
  }

  @AfterEach
  void endLoop() {
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(30, TimeUnit.SECONDS);
  }

  private void answer() {
    loop.answered(1, 0);
    reply.complete("value");
  }

  /** Sends a command; something arrives after so many looks of the caller in vain. */
  private void send(int vain, Runnable arrives) {
    loop.written(1, 0);
    replies.vain = vain;
    replies.looks = 0;
    replies.arrives.set(arrives);
  }

  @Test
  void replyThatArrivesMeanwhile_isReadByTheCaller() {
    // Now and then the keeper checks the sockets, and is faster.
    for (int i = 0; i < ATTEMPTS && !caller.equals(replies.reader); i++) {
      reply = new CompletableFuture<>();
      send(2, this::answer);
      loop.look(reply, 5);
      assertThat(loop.inEventLoop()).isFalse();
      Await.until("the reply", PATIENCE, reply::isDone);
      takeTheLoop();
    }
    loop.leave();

    assertThat(replies.reader).isEqualTo(caller);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void replyThatArrivesLater_isReadByTheKeeper_whichReleasesTheLoop(int looks) throws Exception {
    send(MANY_LOOKS, this::answer);

    loop.look(reply, looks);

    assertThat(loop.inEventLoop()).isFalse();
    assertThat(reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("value");
    assertThat(replies.reader).isNotEqualTo(caller);
    Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
    loop.leave();
  }

  @Test
  void commandOfAnother_endsTheLooks() throws Exception {
    for (int i = 0; i < ATTEMPTS && !caller.equals(replies.reader); i++) {
      send(0, () -> loop.written(1, 0));
      loop.look(reply, MANY_LOOKS);
      loop.submit(() -> loop.answered(2, 0)).sync();
      takeTheLoop();
    }
    loop.leave();

    assertThat(replies.reader).isEqualTo(caller);
    assertThat(replies.looks).isEqualTo(1);
  }

  /** A virtual thread that has yielded may run much later. */
  @Test
  void betweenTheLooks_othersCanTakeTheLoop() throws Exception {
    loop.leave();
    boolean taken = false;
    for (int i = 0; i < ATTEMPTS && !taken; i++) {
      taken = takenFromALookingCaller();
    }
    assertThat(taken).isTrue();
  }

  /** False if the keeper was faster, which checks the sockets now and then. */
  private boolean takenFromALookingCaller() throws InterruptedException {
    Semaphore looking = new Semaphore(0);
    Thread other =
        new Thread(
            () -> {
              takeTheLoop();
              loop.written(1, 0);
              replies.looks = 0;
              replies.looking = Thread.currentThread();
              looking.release();
              loop.look(new CompletableFuture<>(), MANY_LOOKS);
            });
    other.start();
    looking.acquire();
    boolean taken = false;
    while (!taken && other.isAlive()) {
      taken = loop.tryDrive();
    }
    if (taken) {
      loop.answered(1, 0);
      loop.leave();
    } else {
      loop.submit(() -> loop.answered(1, 0)).sync();
    }
    other.join(PATIENCE.toMillis());
    assertThat(other.isAlive()).isFalse();
    return taken && replies.looks < MANY_LOOKS;
  }
}
