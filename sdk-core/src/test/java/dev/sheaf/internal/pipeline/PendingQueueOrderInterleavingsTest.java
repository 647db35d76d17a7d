// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.common.ModelChecking;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The queue against a plain one, in all the ways in which a few threads can interleave.
 *
 * <p>Hunted for: a producer that is overtaken between taking its place at the tail and linking its
 * predecessor to it, or two that take the same place. What was added must neither be lost nor
 * reordered, chains must stay together, and a queue that calls itself empty must be so. {@link
 * PendingQueueThreadsTest} asks the same of real threads.
 */
@Tag("slow")
class PendingQueueOrderInterleavingsTest {

  /** Shared by all runs, one at a time: to encode commands is not what is tested. */
  private static final List<EncodedCommand<?, ?, ?>> COMMANDS =
      IntStream.range(0, 8).<EncodedCommand<?, ?, ?>>mapToObj(i -> command()).toList();

  private static EncodedCommand<?, ?, ?> command() {
    return EncodedCommand.encode(
        new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)), false);
  }

  @Test
  void everyInterleaving_isThatOfAPlainQueue() {
    ModelChecking.options()
        .iterations(5)
        .invocationsPerIteration(40)
        .threads(3)
        .actorsPerThread(1)
        .actorsBefore(1)
        .actorsAfter(2)
        .sequentialSpecification(PlainQueue.class)
        .check(QueueUnderTest.class);
  }

  /** What both queues are asked to do; each addition happens once in a run. */
  public abstract static class Operations {

    abstract void add(int first, int last);

    abstract int next();

    @Operation(runOnce = true)
    public void addOne() {
      add(0, 0);
    }

    @Operation(runOnce = true)
    public void addAnother() {
      add(1, 1);
    }

    @Operation(runOnce = true)
    public void addAThird() {
      add(2, 2);
    }

    @Operation(runOnce = true)
    public void addChain() {
      add(3, 5);
    }

    @Operation(runOnce = true)
    public void addShortChain() {
      add(6, 7);
    }

    /** The next command's number, or -1 if the queue is empty. */
    @Operation(nonParallelGroup = "consumer")
    public int take() {
      return next();
    }
  }

  public static class QueueUnderTest extends Operations {

    private final PendingQueue queue =
        new PendingQueue(BatchingOptions.defaults(), new WriteClock(), null, () -> {}, () -> {});

    public QueueUnderTest() {
      COMMANDS.forEach(command -> command.linkTo(null));
    }

    @Override
    void add(int first, int last) {
      for (int i = first; i < last; i++) {
        COMMANDS.get(i).linkTo(COMMANDS.get(i + 1));
      }
      queue.link(COMMANDS.get(first), COMMANDS.get(last));
    }

    /** A null of a queue that is not empty means "soon": a producer is half-way. */
    @Override
    int next() {
      while (true) {
        EncodedCommand<?, ?, ?> command = queue.poll();
        if (command != null) {
          return COMMANDS.indexOf(command);
        }
        if (queue.isEmpty()) {
          return -1;
        }
        Thread.onSpinWait();
      }
    }
  }

  public static class PlainQueue extends Operations {

    private final Deque<Integer> queue = new ArrayDeque<>();

    @Override
    void add(int first, int last) {
      for (int i = first; i <= last; i++) {
        queue.add(i);
      }
    }

    @Override
    int next() {
      Integer number = queue.poll();
      return number == null ? -1 : number;
    }
  }
}
