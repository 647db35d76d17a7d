// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Commands that are answered, fail and are cancelled at once, in all the ways in which a few
 * threads can interleave: the first outcome of each stays, and the future of all is completed once,
 * with the last of them.
 */
@Tag("slow")
class OutcomesInterleavingsTest {

  private static final RedisException FAILURE = new RedisException("failed");

  @Test
  void noInterleaving_losesAnOutcomeOrCountsOneTwice() {
    new ModelCheckingOptions()
        .iterations(5)
        .invocationsPerIteration(150)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(0)
        .check(TwoCommands.class);
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
    public void expire(Duration timeout) {}
  }

  public static class TwoCommands {

    private final Calls calls = new Calls();

    @Operation(runOnce = true)
    public void oneIsAnswered() {
      calls.one.complete();
    }

    @Operation(runOnce = true)
    public void oneFails() {
      calls.one.completeExceptionally(FAILURE);
    }

    @Operation(runOnce = true)
    public void otherIsAnswered() {
      calls.other.complete();
    }

    @Operation(runOnce = true)
    public void otherIsCancelled() {
      calls.other.cancel();
    }

    @Validate
    public void allIsDoneOnce() {
      boolean all = calls.one.result() != null && calls.other.result() != null;
      if (calls.completed != (all ? 1 : 0) || calls.future().isDone() != all) {
        throw new IllegalStateException("completed " + calls.completed + " times, all " + all);
      }
    }
  }
}
