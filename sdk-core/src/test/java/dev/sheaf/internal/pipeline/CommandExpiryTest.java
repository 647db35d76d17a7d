// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Stage;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands that had to wait before they were written end at their time-out. */
class CommandExpiryTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final int COMMANDS = 1_000;

  private final Queue<Runnable> scheduled = new ArrayDeque<>();
  private final Timer timer = (task, nanos) -> scheduled.add(task);
  private final CountingReasons reasons = new CountingReasons();
  private final CommandTimeouts timeouts = new CommandTimeouts(TimeoutOptions.enabled());
  private final CommandExpiry expiry = new CommandExpiry(timeouts, timer, () -> {}, reasons);

  @BeforeEach
  void setTimeout() {
    timeouts.setConnectionTimeout(TIMEOUT);
  }

  /** Counts how often a reason is looked for. */
  private static final class CountingReasons implements CommandExpiry.Reasons {

    private int searches;
    private int timedOut;

    @Override
    public Lateness whyLate(RedisCommand<?, ?, ?> command) {
      searches++;
      return new Lateness(Stage.SERVER_SLOW, "search " + searches);
    }

    @Override
    public Lateness whyNotSent() {
      return new Lateness(Stage.IN_THE_QUEUE, "");
    }

    @Override
    public String byAddress() {
      return " by node:1";
    }

    @Override
    public long heardNanos() {
      return System.nanoTime();
    }

    @Override
    public void timedOut(Lateness why, int commands) {
      timedOut += commands;
    }
  }

  private AsyncCommand<String, String, Long> written(Duration ago) {
    AsyncCommand<String, String, Long> command =
        new AsyncCommand<>(
            new Command<>(
                CommandType.INCR,
                new IntegerOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey("key")));
    EncodedCommand<String, String, Long> encoded = EncodedCommand.encode(command, false);
    encoded.calledBy(System.nanoTime() - ago.toNanos());
    expiry.trackDelayed(encoded);
    return command;
  }

  private void look() {
    scheduled.remove().run();
  }

  /** One search goes through all that is in flight: one for each would keep the event loop busy. */
  @Test
  void commandsThatAreLateTogether_failForTheReasonOfTheFirst() {
    List<AsyncCommand<String, String, Long>> late = new ArrayList<>();
    for (int i = 0; i < COMMANDS; i++) {
      late.add(written(TIMEOUT.multipliedBy(2)));
    }
    AsyncCommand<String, String, Long> inTime = written(Duration.ZERO);
    look();
    assertThat(late)
        .allSatisfy(
            command ->
                assertThatThrownBy(command::get)
                    .cause()
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .hasMessage(
                        "INCR was not answered by node:1 within 1000 ms (server slow while it"
                            + " answers others): search 1; commandTimeout sets the limit"));
    assertThat(inTime).isNotDone();
    assertThat(reasons.searches).isEqualTo(1);
    assertThat(reasons.timedOut).isEqualTo(COMMANDS);
  }

  @Test
  void whatWasAnswered_isNeitherSearchedNorCounted() {
    AsyncCommand<String, String, Long> answered = written(TIMEOUT.multipliedBy(2));
    answered.complete(1L);
    look();
    assertThat(answered).isCompletedWithValue(1L);
    assertThat(reasons.searches).isZero();
    assertThat(reasons.timedOut).isZero();
    assertThat(scheduled).isEmpty();
  }
}
