// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.Links;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.common.ModelChecking;
import dev.sheaf.internal.fusion.RunFuser;
import dev.sheaf.internal.pipeline.PendingQueue.Chain;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The hand-over between those who add commands and the one who drains, in all the ways in which a
 * few threads can interleave.
 *
 * <p>Hunted for: a command that is added while the drain gives up, so that each of the two leaves
 * it to the other and it waits for ever; and two drains at a time, which would reorder commands.
 */
@Tag("slow")
class NodePipelineInterleavingsTest {

  private static final int ROUNDS = 500;

  /** Shared by all runs, one at a time: to encode commands is not what is tested. */
  private static final List<EncodedCommand<?, ?, ?>> COMMANDS =
      IntStream.range(0, 6).<EncodedCommand<?, ?, ?>>mapToObj(i -> FakeWriter.ping()).toList();

  @Test
  void noInterleaving_leavesACommandBehind() {
    ModelChecking.options()
        // Three operations for three threads: there is one scenario, and all are in it.
        .iterations(1)
        .invocationsPerIteration(150)
        .threads(3)
        .actorsPerThread(1)
        .actorsBefore(0)
        .actorsAfter(0)
        // One drain at a time uses these, or they are counters: no threads need to switch in them.
        .addGuarantee(
            forClasses(
                    RunFuser.class.getName(),
                    WriteClock.class.getName(),
                    EncodedCommand.class.getName(),
                    BatchingOptions.class.getName())
                .allMethods()
                .treatAsAtomic())
        .addGuarantee(
            forClasses(PendingQueue.class.getName()).methods("tryTake", "free").treatAsAtomic())
        .check(Submissions.class);
  }

  /** On real threads, because the model knows nothing of what a processor reorders. */
  @Test
  void noRealThread_leavesACommandBehind() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        Submissions submissions = new Submissions();
        CyclicBarrier together = new CyclicBarrier(3);
        List<Future<?>> done = new ArrayList<>();
        for (List<Runnable> calls :
            List.<List<Runnable>>of(
                List.of(submissions::addOne, submissions::addAnother),
                List.of(submissions::addTwo),
                List.of(submissions::addChain))) {
          done.add(
              threads.submit(
                  () -> {
                    together.await();
                    calls.forEach(Runnable::run);
                    return null;
                  }));
        }
        for (Future<?> each : done) {
          each.get();
        }
        submissions.everythingIsWrittenOnceAndInOrder();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** A pipeline without a socket, which drains on the threads that add. */
  public static class Submissions {

    private final Recorder recorder = new Recorder();
    private final NodePipeline pipeline = recorder.pipeline();
    private final boolean[] submitted = new boolean[COMMANDS.size()];

    public Submissions() {
      Links.cut(COMMANDS);
    }

    @Operation(runOnce = true)
    public void addOne() {
      submit(0);
    }

    /** For the test on real threads. */
    void addAnother() {
      submit(1);
    }

    @Operation(runOnce = true)
    public void addTwo() {
      submit(2);
      submit(3);
    }

    @Operation(runOnce = true)
    public void addChain() {
      submitted[4] = true;
      submitted[5] = true;
      Chain chain = new Chain();
      chain.append(COMMANDS.get(4));
      chain.append(COMMANDS.get(5));
      pipeline.queue().submit(chain);
    }

    private void submit(int number) {
      submitted[number] = true;
      pipeline.queue().submit(COMMANDS.get(number));
    }

    @Validate
    public void everythingIsWrittenOnceAndInOrder() {
      // Plain comparisons: what AssertJ does is walked through as well, and takes minutes.
      List<Integer> written = new ArrayList<>();
      for (RedisCommand<?, ?, ?> command : recorder.written) {
        written.add(COMMANDS.indexOf(command));
      }
      for (int i = 0; i < submitted.length; i++) {
        require(written.contains(i) == submitted[i], "it is written if it was added");
        require(written.indexOf(i) == written.lastIndexOf(i), "nothing is written twice");
      }
      require(written.indexOf(2) <= written.indexOf(3), "one thread's commands keep their order");
      require(written.indexOf(4) + 1 == written.indexOf(5) || !submitted[4], "a chain is whole");
      require(pipeline.isIdle(), "nobody holds the queue, and it is empty");
      require(
          pipeline.queue().commands() == 0 && pipeline.queue().bytes() == 0, "room is given back");
    }

    private void require(boolean met, String what) {
      if (!met) {
        throw new IllegalStateException(
            "Not met: " + what + "; written " + recorder.written.size() + " commands");
      }
    }
  }

  /** Not thread-safe, as the one drain at a time may expect. */
  private static final class Recorder extends FakeWriter {

    private final List<RedisCommand<?, ?, ?>> written = new ArrayList<>();

    @Override
    void written(Collection<? extends RedisCommand<?, ?, ?>> commands) {
      written.addAll(commands);
    }
  }
}
