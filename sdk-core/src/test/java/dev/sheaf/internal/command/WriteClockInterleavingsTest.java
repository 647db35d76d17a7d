// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.internal.common.ModelChecking;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A loop that reads ahead beside threads that write, in all the ways in which they can interleave:
 * what the loop hands out is what a plain read might have given.
 */
@Tag("slow")
class WriteClockInterleavingsTest {

  private static final String KEY = "k";

  /** Shared by all runs, one at a time: to encode commands is not what is tested. */
  private static final EncodedCommand<?, ?, ?> SET = command(CommandType.SET, KEY, "v");

  private static final EncodedCommand<?, ?, ?> FLUSH = command(CommandType.FLUSHALL);
  private static final int CELL = WriteClock.writtenBy(SET);

  private static EncodedCommand<?, ?, ?> command(CommandType type, String... words) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (int i = 0; i < words.length; i++) {
      if (i == 0) {
        args.addKey(words[i]);
      } else {
        args.addValue(words[i]);
      }
    }
    return EncodedCommand.encode(
        new Command<>(type, new StatusOutput<>(StringCodec.UTF8), args), false);
  }

  @Test
  void valueThatWasReadAhead_isVoidOnceItsKeyWasWritten() {
    ModelChecking.options()
        .iterations(8)
        .invocationsPerIteration(300)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(0)
        .actorsAfter(1)
        .sequentialSpecification(PlainValue.class)
        .check(ValueReadAhead.class);
  }

  /** What a thread can do with a value. */
  public abstract static class Operations {

    /** Changes the value, and gives the new one. */
    abstract int change(EncodedCommand<?, ?, ?> command);

    abstract void ahead();

    abstract int read();

    @Operation(nonParallelGroup = "writer")
    public int write() {
      return change(SET);
    }

    @Operation(nonParallelGroup = "writer")
    public int flush() {
      return change(FLUSH);
    }

    @Operation(nonParallelGroup = "loop")
    public void readAhead() {
      ahead();
    }

    @Operation(nonParallelGroup = "loop")
    public int take() {
      return read();
    }
  }

  /** A server that runs each command as it is queued. */
  public static class ValueReadAhead extends Operations {

    private final WriteClock clock = new WriteClock();
    private volatile int value;
    private volatile int ahead;
    private volatile int reading;
    private volatile int common = -1;

    public ValueReadAhead() {
      clock.join();
    }

    @Override
    int change(EncodedCommand<?, ?, ?> command) {
      int written = clock.beforeQueueing(command, command);
      int changed = value + 1;
      value = changed;
      clock.afterQueueing(written, command, command);
      return changed;
    }

    @Override
    void ahead() {
      reading = clock.reading(CELL);
      common = clock.commonReading();
      ahead = value;
    }

    @Override
    int read() {
      return clock.reading(CELL) == reading && clock.commonReading() == common ? ahead : value;
    }
  }

  public static class PlainValue extends Operations {

    private int value;

    @Override
    int change(EncodedCommand<?, ?, ?> command) {
      return ++value;
    }

    @Override
    void ahead() {}

    @Override
    int read() {
      return value;
    }
  }
}
