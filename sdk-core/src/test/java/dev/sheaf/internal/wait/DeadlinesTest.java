// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.testkit.Await;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class DeadlinesTest {

  private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Deadlines deadlines =
      new Deadlines(Duration.ofNanos(TIMEOUT_NANOS), ClientContext.YIELDS);

  @AfterEach
  void close() {
    deadlines.close();
  }

  /** Replies that came during a pause of the JVM have not been read by any thread when it ends. */
  @ParameterizedTest
  @ValueSource(longs = {50, 51, 10_000})
  void deadlinesThatPassInAPause_areJudgedByItsBegin(long pauseMillis) {
    long now = System.nanoTime();
    long pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
    assertThat(Deadlines.judgedNanos(now, pauseNanos)).isEqualTo(now - pauseNanos);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 49})
  void otherDeadlines_areJudgedByTheClock(long lateMillis) {
    long now = System.nanoTime();
    assertThat(Deadlines.judgedNanos(now, TimeUnit.MILLISECONDS.toNanos(lateMillis)))
        .isEqualTo(now);
  }

  @Test
  void replyThatComes_isReturned() {
    AsyncCommand<String, String, String> get = get();
    Thread server = new Thread(() -> answer(get, "value"));
    server.start();
    assertThat(await(get, TIMEOUT_NANOS * 100)).isEqualTo("value");
  }

  @Test
  void replyThatIsThere_isReturnedAtOnce() {
    AsyncCommand<String, String, String> get = get();
    answer(get, "value");
    assertThat(await(get, 1)).isEqualTo("value");
  }

  @Test
  void replyThatDoesNotCome_failsNotBeforeItsTime() {
    for (int round = 0; round < 3; round++) {
      AsyncCommand<String, String, String> get = get();
      long start = System.nanoTime();
      assertThatThrownBy(() -> await(get, TIMEOUT_NANOS))
          .isInstanceOf(RedisCommandTimeoutException.class)
          .hasMessageContaining("100 millisecond");
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TIMEOUT_NANOS);
      assertThat(get.isDone()).as("so that it is not sent any more").isTrue();
    }
  }

  @Test
  void eachWait_hasItsOwnLimit() throws InterruptedException {
    AsyncCommand<String, String, String> patient = get();
    Thread waiting = new Thread(() -> await(patient, TimeUnit.MINUTES.toNanos(1)));
    waiting.start();
    assertThatThrownBy(() -> await(get(), TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandTimeoutException.class);
    assertThat(patient.isDone()).isFalse();
    answer(patient, "value");
    waiting.join();
  }

  @Test
  void errorOfTheServer_isThrownAsLettuceDoes() {
    AsyncCommand<String, String, String> get = get();
    get.getOutput().setError("WRONGTYPE it is a list");
    get.complete();
    assertThatThrownBy(() -> await(get, TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessage("WRONGTYPE it is a list");
  }

  @Test
  void interruptedWait_endsAndKeepsTheInterrupt() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> await(get(), TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandInterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  /** Whoever asks for less than the usual time-out is not kept for the length of a tick. */
  @Test
  void awaitOfAMoment_leavesTheCommandAsItIs() throws InterruptedException {
    AsyncCommand<String, String, String> get = get();
    assertThat(get.await(1, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(get.await(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)).isFalse();
    assertThat(get.isDone()).isFalse();
    answer(get, "value");
    assertThat(get.await(1, TimeUnit.MILLISECONDS)).isTrue();
  }

  @Test
  void twoThreadsThatWaitForOneReply_bothGetIt() throws InterruptedException {
    AsyncCommand<String, String, String> get = get();
    Queue<String> received = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Thread thread = new Thread(() -> received.add(await(get, TIMEOUT_NANOS * 600)));
      threads.add(thread);
      thread.start();
    }
    Await.until(
        "both wait",
        Duration.ofSeconds(20),
        () ->
            threads.stream()
                .allMatch(
                    thread ->
                        thread.getState() == Thread.State.WAITING
                            || thread.getState() == Thread.State.TIMED_WAITING));
    answer(get, "value");
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(received).containsExactly("value", "value");
  }

  /** Each way in which a command ends wakes who waits for it, at once and not at the time-out. */
  @ParameterizedTest
  @ValueSource(strings = {"value", "error", "failure", "cancel", "complete", "async"})
  void everyEnd_wakesTheWaitingThread(String end) throws InterruptedException {
    assertWakes(end, get -> get.await(10, TimeUnit.MINUTES));
    assertWakes(end, AsyncCommand::get);
    assertWakes(end, get -> get.get(10, TimeUnit.MINUTES));
    assertWakes(end, AsyncCommand::join);
  }

  /** A way to wait for a reply. */
  private interface Waiting {

    Object await(AsyncCommand<String, String, String> get) throws Exception;
  }

  private void assertWakes(String end, Waiting way) throws InterruptedException {
    AsyncCommand<String, String, String> get = get();
    AtomicBoolean awaited = new AtomicBoolean();
    Thread waiting =
        new Thread(
            () -> {
              catchThrowable(() -> way.await(get));
              awaited.set(get.isDone());
            });
    waiting.start();
    Await.until("it waits", Duration.ofSeconds(20), () -> LockSupport.getBlocker(waiting) == get);
    switch (end) {
      case "value" -> answer(get, "value");
      case "error" -> {
        get.getOutput().setError("ERR");
        get.complete();
      }
      case "failure" -> get.completeExceptionally(new RedisException("lost"));
      case "cancel" -> get.cancel(true);
      case "complete" -> get.complete("value");
      default -> get.completeAsync(() -> "value");
    }
    waiting.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(awaited).isTrue();
  }

  @Test
  void interruptedGet_endsAndLeavesTheCommandAsItIs() throws InterruptedException {
    AsyncCommand<String, String, String> get = get();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiting = new Thread(() -> thrown.set(catchThrowable(get::get)));
    waiting.start();
    Await.until("it waits", Duration.ofSeconds(20), () -> LockSupport.getBlocker(waiting) == get);
    waiting.interrupt();
    waiting.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(get.isDone()).isFalse();
  }

  @Test
  void getThatIsOverdue_leavesTheCommandAsItIs() {
    AsyncCommand<String, String, String> get = get();
    assertThatThrownBy(() -> get.get(1, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(get.isDone()).isFalse();
  }

  @Test
  void threadInAForkJoinPool_waitsAsItsPoolWantsIt() throws Exception {
    AsyncCommand<String, String, String> get = get();
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      Future<Boolean> waiting = pool.submit(() -> get.await(10, TimeUnit.MINUTES));
      // With one thread only, and that one blocked, this needs another.
      pool.submit(() -> answer(get, "value")).get(20, TimeUnit.SECONDS);
      assertThat(waiting.get(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      pool.shutdownNow();
    }
  }

  /** Threads whose slots are all taken wait as Lettuce does, and nobody waits for ever. */
  @Test
  void moreWaitsThanSlotsNearby_allEnd() throws InterruptedException {
    int callers = 600;
    AtomicInteger timedOut = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      Thread thread =
          new Thread(
              null,
              () -> {
                try {
                  await(get(), TIMEOUT_NANOS);
                } catch (RedisCommandTimeoutException expected) {
                  timedOut.incrementAndGet();
                }
              },
              "caller",
              128 << 10);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(timedOut).hasValue(callers);
  }

  @Test
  void onceClosed_waitsByItself() {
    deadlines.close();
    assertThatThrownBy(() -> await(get(), TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandTimeoutException.class);
  }

  /** Another thread has begun to fail the command when its caller's time is over. */
  @Test
  void failureInTheMakingAtTheEnd_isTheOneThatIsThrown() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AsyncCommand<String, String, String> get =
        new AwaitedCommand<>(
            new Command<>(CommandType.GET, new ValueOutput<>(StringCodec.UTF8)) {
              @Override
              public boolean completeExceptionally(Throwable failure) {
                begun.countDown();
                awaitUninterruptibly(goOn);
                return super.completeExceptionally(failure);
              }
            },
            deadlines);
    Thread failing =
        new Thread(() -> get.completeExceptionally(new RedisCommandTimeoutException("the first")));
    failing.start();
    awaitUninterruptibly(begun);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () ->
                thrown.complete(
                    catchThrowable(
                        () ->
                            WriteScope.call(
                                new AtomicInteger(),
                                Duration.ofNanos(TIMEOUT_NANOS),
                                () -> await(get, TIMEOUT_NANOS)))));
    caller.start();
    Await.until(
        "the caller's time is over",
        Duration.ofSeconds(20),
        () -> thrown.isDone() || waitsForTheReplyItself(caller));
    goOn.countDown();
    assertThat(thrown.get(20, TimeUnit.SECONDS)).hasMessage("the first");
    failing.join();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    Await.until("the other thread", Duration.ofSeconds(20), () -> latch.getCount() == 0);
  }

  private static boolean waitsForTheReplyItself(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("awaitAmongOthers"));
  }

  @Test
  void closedMeanwhile_leavesNobodyWaiting() throws InterruptedException {
    AtomicInteger ended = new AtomicInteger();
    AsyncCommand<String, String, String> get = get();
    Thread waiting =
        new Thread(
            () -> {
              try {
                await(get, TIMEOUT_NANOS * 600);
              } catch (RedisCommandTimeoutException expected) {
                ended.incrementAndGet();
              }
            });
    waiting.start();
    // One that begins to wait after the end keeps its own time, which is long.
    Await.until(
        "the thread waits", Duration.ofSeconds(20), () -> LockSupport.getBlocker(waiting) == get);
    deadlines.close();
    waiting.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(ended).hasValue(1);
  }

  /** The thread sleeps while nobody waits, and wakes for those who come later. */
  @Test
  void waitsAfterAPause_areWatchedAgain() throws InterruptedException {
    for (int round = 0; round < 4; round++) {
      assertThatThrownBy(() -> await(get(), TIMEOUT_NANOS))
          .isInstanceOf(RedisCommandTimeoutException.class);
      Await.until("the thread sleeps", Duration.ofSeconds(10), () -> !deadlines.isWatching());
    }
  }

  private AsyncCommand<String, String, String> get() {
    return new AwaitedCommand<>(
        new Command<>(CommandType.GET, new ValueOutput<>(StringCodec.UTF8)), deadlines);
  }

  /** As Lettuce's blocking commands wait. */
  private static String await(AsyncCommand<String, String, String> get, long timeoutNanos) {
    return LettuceFutures.awaitOrCancel(get, timeoutNanos, TimeUnit.NANOSECONDS);
  }

  private static void answer(AsyncCommand<String, String, String> get, String value) {
    get.getOutput().set(ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    get.complete();
  }
}
