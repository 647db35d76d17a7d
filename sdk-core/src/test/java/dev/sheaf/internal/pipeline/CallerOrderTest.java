// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.pipeline.Lanes.CallerOrder;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CallerOrderTest {

  private final CallerOrder order = new CallerOrder(new WriteClock());
  private final int cell = Lanes.cellOfThread();

  @Test
  void whileSomethingIsUnanswered_allGoTheSameWay() {
    assertThat(order.lane(cell)).isEqualTo(-1);
    assertThat(order.enter(cell, 2, 3)).isEqualTo(2);
    assertThat(order.enter(cell, 1, 1)).isEqualTo(2);
    for (int left = 4; left > 0; left--) {
      assertThat(order.lane(cell)).isEqualTo(2);
      order.leave(cell, 1);
    }
    assertThat(order.lane(cell)).isEqualTo(-1);
    assertThat(order.enter(cell, 1, 1)).isEqualTo(1);
  }

  /** The server may still run it, so the next command of its thread must not overtake it. */
  @Test
  void writeThatTimedOut_countsUntilItIsAnsweredOrDropped() {
    for (Consumer<EncodedCommand<?, ?, ?>> end :
        List.<Consumer<EncodedCommand<?, ?, ?>>>of(
            EncodedCommand::complete,
            EncodedCommand::drop,
            command -> command.fail(new OutcomeUnknownException("SET")))) {
      EncodedCommand<String, String, String> write =
          EncodedCommand.encode(
              new AsyncCommand<>(
                  new Command<>(
                      CommandType.SET,
                      new StatusOutput<>(StringCodec.UTF8),
                      new CommandArgs<>(StringCodec.UTF8).addKey("key").addValue("value"))),
              true);
      order.enter(cell, 2, 1);
      write.countedIn(order, cell);
      assertThat(write.completeExceptionally(new RedisCommandTimeoutException("late"))).isTrue();
      assertThat(order.lane(cell)).isEqualTo(2);
      end.accept(write);
      assertThat(order.lane(cell)).isEqualTo(-1);
    }
  }

  @Test
  void otherCells_areFree() {
    order.enter(cell, 2, 1);
    assertThat(order.lane(cell == 0 ? 1 : 0)).isEqualTo(-1);
  }
}
