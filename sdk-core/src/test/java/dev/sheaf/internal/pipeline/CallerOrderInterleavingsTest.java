// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.common.ModelChecking;
import dev.sheaf.internal.pipeline.Lanes.CallerOrder;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The order of callers that share a cell, in all the ways in which a few threads can interleave.
 *
 * <p>Hunted for: a thread whose second command takes another lane than its first, which has no
 * answer yet; and a count that is left behind, or given back twice, which would bind a cell to a
 * lane for ever or let go of it too early.
 */
@Tag("slow")
class CallerOrderInterleavingsTest {

  private static final int CELL = 7;

  private static ModelCheckingOptions options() {
    return ModelChecking.options()
        .iterations(5)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1);
  }

  @Test
  void commandsWithoutAnAnswer_keepTheirLane() {
    options().check(Travels.class);
  }

  @Test
  void commandThatEndsInSeveralWays_isCountedOnce() {
    options().check(Ends.class);
  }

  /** Each operation is a caller, and gives whether it kept its lane. */
  @Param(name = "lane", gen = IntGen.class, conf = "0:2")
  public static class Travels {

    private final CallerOrder order = new CallerOrder(new WriteClock());

    @Operation
    public boolean travel(@Param(name = "lane") int wanted) {
      int lane = order.enter(CELL, wanted, 1);
      boolean kept = order.lane(CELL) == lane && order.enter(CELL, wanted + 1, 2) == lane;
      order.leave(CELL, 2);
      kept &= order.enter(CELL, wanted + 2, 1) == lane;
      order.leave(CELL, 1);
      order.leave(CELL, 1);
      return kept;
    }

    @Validate
    public void nothingIsCounted() {
      if (order.lane(CELL) != -1) {
        throw new IllegalStateException("the cell is bound to lane " + order.lane(CELL));
      }
    }
  }

  /** One command that is answered, fails and is cancelled, perhaps all at once. */
  public static class Ends {

    private final CallerOrder order = new CallerOrder(new WriteClock());
    private final EncodedCommand<?, ?, ?> command =
        EncodedCommand.encode(
            new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)), false);
    private volatile boolean ended;

    public Ends() {
      command.countedIn(order, CELL);
      order.enter(CELL, 1, 1);
    }

    @Operation
    public void end() {
      command.ended();
      ended = true;
    }

    @Validate
    public void itIsCountedOnce() {
      if (order.lane(CELL) != (ended ? -1 : 1)) {
        throw new IllegalStateException("ended " + ended + ", the lane is " + order.lane(CELL));
      }
    }
  }
}
