// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import dev.sheaf.internal.common.ModelChecking;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two threads that end commands at once, in all the ways in which they can interleave: the first
 * outcome of each counts once, and the last of all completes the future.
 *
 * <p>Each has one scenario alone, so that no drawn one leaves the race out.
 */
@Tag("slow")
class OutcomesInterleavingsTest {

  private static final RedisException FAILURE = new RedisException("failed");

  private static void check(Class<?> scenario) {
    ModelChecking.options()
        .iterations(1)
        .invocationsPerIteration(500)
        .threads(2)
        .actorsPerThread(1)
        .actorsBefore(0)
        .actorsAfter(0)
        .minimizeFailedScenario(false)
        .check(scenario);
  }

  @Test
  void replyAndFailureOfOneCommand_countOnce() {
    check(OneCommandTwice.class);
  }

  @Test
  void lastOutcomesOfTwoCommands_completeTheFuture() {
    check(TwoCommands.class);
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

  private static final class Calls extends Outcomes<Integer> {

    private final Call one = new Call(this);
    private final Call other = new Call(this);
    private volatile int completed;

    Calls() {
      begin(2);
    }

    @Override
    Integer all() {
      return ++completed;
    }

    @Override
    List<Call> commands() {
      return List.of(one, other);
    }

    void require(int times) {
      if (completed != times || future().isDone() != (times == 1)) {
        throw new IllegalStateException(
            "completed " + completed + " times, done " + future().isDone());
      }
    }
  }

  /** The other command has no outcome yet, so the future must wait for it. */
  public static class OneCommandTwice {

    private final Calls calls = new Calls();

    @Operation(runOnce = true)
    public void isAnswered() {
      calls.one.complete();
    }

    @Operation(runOnce = true)
    public void fails() {
      calls.one.completeExceptionally(FAILURE);
    }

    @Validate
    public void isCountedOnce() {
      calls.require(0);
    }
  }

  /** Whichever is the last, it completes the future. */
  public static class TwoCommands {

    private final Calls calls = new Calls();

    @Operation(runOnce = true)
    public void oneIsAnswered() {
      calls.one.complete();
    }

    @Operation(runOnce = true)
    public void otherIsCancelled() {
      calls.other.cancel();
    }

    @Validate
    public void allIsDoneOnce() {
      calls.require(1);
    }
  }
}
