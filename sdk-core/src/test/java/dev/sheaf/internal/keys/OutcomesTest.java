// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Result;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutcomesTest {

  private static final Duration TIMEOUT = Duration.ofMillis(20);

  private static final class Calls extends Outcomes<Integer> {

    private final List<Call> calls = new ArrayList<>();

    Calls(int count) {
      for (int i = 0; i < count; i++) {
        calls.add(new Call(this));
      }
      begin(count);
    }

    @Override
    Integer all() {
      return calls.size();
    }

    @Override
    List<Call> commands() {
      return calls;
    }
  }

  private static final class Call extends KeyedCommand<String, String, String, String> {

    Call(Outcomes<?> together) {
      super(
          together,
          CommandType.GET,
          new StatusOutput<>(StringCodec.UTF8),
          new CommandArgs<>(StringCodec.UTF8));
    }

    @Override
    Result<String> answered() {
      return new Result.Absent<>();
    }
  }

  private static long soon() {
    return System.nanoTime() + TIMEOUT.toNanos();
  }

  @Test
  void ofNothing_isThereAtOnce() {
    assertThat(new Calls(0).future()).isCompletedWithValue(0);
  }

  @Test
  void isThereWithTheLast_andCountsEachOnce() {
    Calls two = new Calls(2);

    two.calls.get(0).complete();
    two.calls.get(0).cancel();
    two.calls.get(0).completeExceptionally(new IllegalStateException());
    assertThat(two.future()).isNotDone();

    two.calls.get(1).cancel();
    assertThat(two.future()).isCompletedWithValue(2);
  }

  @Test
  void whatHasNoOutcomeInTime_fails_andTheRestKeepsIts() {
    Calls two = new Calls(2);
    two.calls.get(0).complete();

    assertThat(two.await(TIMEOUT, soon())).isEqualTo(2);

    assertThat(two.calls.get(0).result()).isInstanceOf(Result.Absent.class);
    assertThat(two.calls.get(1).result()).isInstanceOf(Result.Failure.class);
  }

  @Test
  void aListenerThatThrows_holdsUpNobody() {
    Calls one = new Calls(1);
    one.calls
        .get(0)
        .onComplete(
            (value, failure) -> {
              throw new IllegalStateException("of a listener");
            });

    assertThatThrownBy(one.calls.get(0)::complete).hasMessage("of a listener");

    assertThat(one.future()).isCompletedWithValue(1);
  }

  @Test
  void anInterrupt_isKept_andTheCommandsGoOn() {
    Calls one = new Calls(1);
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> one.await(TIMEOUT, soon()))
        .isInstanceOf(RedisCommandInterruptedException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(one.future()).isNotDone();
  }
}
