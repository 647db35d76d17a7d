// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.wait;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that awaits futures is woken once the replies that have arrived are delivered. */
@Timeout(180)
class AwaitedAmongOthersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** So long that no wait is ended by its time. */
  private static final Duration LONG = Duration.ofHours(1);

  /** A reply whose wait keeps the scan of time-outs, which would wake threads as well. */
  private static final class Keeping extends AwaitedCommand<String, String, String> {

    private final CountDownLatch scanned = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private Keeping(Deadlines deadlines) {
      super(ping(), deadlines);
    }

    @Override
    public boolean isDone() {
      if (Thread.currentThread().getName().equals("sheaf-deadlines")) {
        scanned.countDown();
        Await.until("the end", PATIENCE.multipliedBy(3), () -> goOn.getCount() == 0);
      }
      return super.isDone();
    }
  }

  @Test
  void threadThatAwaitsAFuture_sleepsUntilTheRepliesAreDelivered() throws Exception {
    try (Deadlines deadlines = new Deadlines(LONG, 0);
        EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Sheaf<String, String> pushing = Sheaf.connect(server.uri())) {
      Keeping kept = new Keeping(deadlines);
      CompletableFuture<String> last = waiting(kept, kept::join);
      assertThat(kept.scanned.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
      AwaitedCommand<String, String, String> first = new AwaitedCommand<>(ping(), deadlines);
      AwaitedCommand<String, String, String> second = new AwaitedCommand<>(ping(), deadlines);
      AwaitedCommand<String, String, String> alone = new AwaitedCommand<>(ping(), deadlines);
      CompletableFuture<String> both = waiting(first, () -> first.join() + second.join());
      CompletableFuture<String> blocking =
          waiting(
              alone,
              () -> {
                alone.await(LONG.toNanos(), TimeUnit.NANOSECONDS);
                return alone.join();
              });
      // This code runs while the event loop delivers the reply, which comes after the push.
      CompletableFuture<Void> delivered =
          sheaf
              .async()
              .blpop(0, "list")
              .thenAccept(
                  value -> {
                    answer(first, "1");
                    answer(alone, "alone");
                    blocking.join();
                    assertThat(both).isNotDone();
                    answer(second, "2");
                    assertThat(both).isNotDone();
                  })
              .toCompletableFuture();
      pushing.sync().rpush("list", "value");
      delivered.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(both).succeedsWithin(PATIENCE).isEqualTo("12");
      kept.goOn.countDown();
      answer(kept, "kept");
      assertThat(last).succeedsWithin(PATIENCE);
    }
  }

  private static CompletableFuture<String> waiting(
      AwaitedCommand<String, String, String> reply, Supplier<String> code) {
    CompletableFuture<String> result = new CompletableFuture<>();
    Thread thread = new Thread(() -> result.complete(code.get()));
    thread.start();
    Await.until("it waits", PATIENCE, () -> LockSupport.getBlocker(thread) == reply);
    return result;
  }

  private static Command<String, String, String> ping() {
    return new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.UTF8));
  }

  private static void answer(AwaitedCommand<String, String, String> command, String value) {
    command.getOutput().set(StringCodec.UTF8.encodeValue(value));
    command.complete();
  }
}
