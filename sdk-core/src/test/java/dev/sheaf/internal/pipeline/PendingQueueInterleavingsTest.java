// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.common.ModelChecking;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The bounds of a queue in all the ways in which a few threads can take and free room: never more
 * is given than there is, and all of it comes back. Room may be refused while another thread is
 * being refused.
 */
@Tag("slow")
class PendingQueueInterleavingsTest {

  private static final int MOST = 3;

  private static final BatchingOptions LIMITS =
      BatchingOptions.builder().maxQueuedCommands(MOST).maxQueuedBytes(10 * MOST).build();

  @Test
  void noInterleaving_givesMoreThanThereIs_orLosesRoom() {
    ModelChecking.options()
        .iterations(5)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .check(Room.class);
  }

  /** Each operation gives whether the bounds held. */
  @Param(name = "commands", gen = IntGen.class, conf = "1:4")
  public static class Room {

    private final PendingQueue queue =
        new PendingQueue(LIMITS, new WriteClock(), null, () -> {}, () -> {});
    private final AtomicInteger given = new AtomicInteger();

    @Operation
    public boolean takeAndFree(@Param(name = "commands") int commands) {
      if (!queue.tryTake(commands, 10 * commands)) {
        return true;
      }
      int together = given.addAndGet(commands);
      boolean kept = together <= MOST || together == commands;
      given.addAndGet(-commands);
      queue.free(commands, 10 * commands);
      return kept;
    }

    @Validate
    public void allRoomIsFree() {
      if (queue.commands() != 0 || queue.bytes() != 0) {
        throw new IllegalStateException(queue.commands() + " commands are left");
      }
    }
  }
}
