// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.pipeline.Lanes.CallerOrder;
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

  @Test
  void otherCells_areFree() {
    order.enter(cell, 2, 1);
    assertThat(order.lane(cell == 0 ? 1 : 0)).isEqualTo(-1);
  }
}
