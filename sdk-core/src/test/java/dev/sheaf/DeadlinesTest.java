package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeadlinesTest {

  private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Deadlines deadlines = new Deadlines(Duration.ofNanos(TIMEOUT_NANOS));

  @AfterEach
  void close() {
    deadlines.close();
  }

  @Test
  void replyThatComes_isReturned() {
    AsyncCommand<String, String, String> get = get();
    Thread server = new Thread(() -> answer(get, "value"));
    server.start();
    assertThat(deadlines.await(get, TIMEOUT_NANOS * 100)).isEqualTo("value");
  }

  @Test
  void replyThatIsThere_isReturnedAtOnce() {
    AsyncCommand<String, String, String> get = get();
    answer(get, "value");
    assertThat(deadlines.await(get, 1)).isEqualTo("value");
  }

  @Test
  void replyThatDoesNotCome_failsNotBeforeItsTime() {
    for (int round = 0; round < 3; round++) {
      AsyncCommand<String, String, String> get = get();
      long start = System.nanoTime();
      assertThatThrownBy(() -> deadlines.await(get, TIMEOUT_NANOS))
          .isInstanceOf(RedisCommandTimeoutException.class)
          .hasMessageContaining("100 millisecond");
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TIMEOUT_NANOS);
      assertThat(get.isDone()).as("so that it is not sent any more").isTrue();
    }
  }

  @Test
  void eachWait_hasItsOwnLimit() throws InterruptedException {
    AsyncCommand<String, String, String> patient = get();
    Thread waiting = new Thread(() -> deadlines.await(patient, TimeUnit.MINUTES.toNanos(1)));
    waiting.start();
    assertThatThrownBy(() -> deadlines.await(get(), TIMEOUT_NANOS))
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
    assertThatThrownBy(() -> deadlines.await(get, TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessage("WRONGTYPE it is a list");
  }

  @Test
  void interruptedWait_endsAndKeepsTheInterrupt() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> deadlines.await(get(), TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandInterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
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
                  deadlines.await(get(), TIMEOUT_NANOS);
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
    assertThatThrownBy(() -> deadlines.await(get(), TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandTimeoutException.class);
  }

  @Test
  void closedMeanwhile_leavesNobodyWaiting() throws InterruptedException {
    AtomicInteger ended = new AtomicInteger();
    Thread waiting =
        new Thread(
            () -> {
              try {
                deadlines.await(get(), TIMEOUT_NANOS * 600);
              } catch (RedisCommandTimeoutException expected) {
                ended.incrementAndGet();
              }
            });
    waiting.start();
    assertThatThrownBy(() -> deadlines.await(get(), TIMEOUT_NANOS))
        .isInstanceOf(RedisCommandTimeoutException.class);
    deadlines.close();
    waiting.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(ended).hasValue(1);
  }

  /** The thread sleeps while nobody waits, and wakes for those who come later. */
  @Test
  void waitsAfterAPause_areWatchedAgain() throws InterruptedException {
    for (int round = 0; round < 4; round++) {
      assertThatThrownBy(() -> deadlines.await(get(), TIMEOUT_NANOS))
          .isInstanceOf(RedisCommandTimeoutException.class);
      Await.until(
          "the thread sleeps",
          Duration.ofSeconds(10),
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .filter(thread -> thread.getName().equals("sheaf-deadlines"))
                  .allMatch(thread -> thread.getState() == Thread.State.WAITING));
    }
  }

  private static AsyncCommand<String, String, String> get() {
    return new AsyncCommand<>(new Command<>(CommandType.GET, new ValueOutput<>(StringCodec.UTF8)));
  }

  private static void answer(AsyncCommand<String, String, String> get, String value) {
    get.getOutput().set(ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    get.complete();
  }
}
