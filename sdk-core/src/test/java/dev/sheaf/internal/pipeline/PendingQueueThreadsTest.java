// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * The queue under real threads, because a model of interleavings knows nothing of what a processor
 * reorders. Hunted for: commands that are lost, doubled or reordered, and chains that are torn.
 */
class PendingQueueThreadsTest {

  private static final int PRODUCERS = 3;
  private static final int EACH = 20_000;
  private static final int LONGEST_CHAIN = 4;

  private final List<List<EncodedCommand<?, ?, ?>>> commands = new ArrayList<>();
  private final PendingQueue queue =
      new PendingQueue(BatchingOptions.defaults(), new WriteClock(), null, () -> {}, () -> {});

  @Test
  void threadsAdd_nothingIsLostDoubledReorderedOrTorn() throws InterruptedException {
    for (int producer = 0; producer < PRODUCERS; producer++) {
      List<EncodedCommand<?, ?, ?>> own = new ArrayList<>();
      for (int i = 0; i < EACH; i++) {
        own.add(command());
      }
      commands.add(own);
    }
    CountDownLatch together = new CountDownLatch(PRODUCERS);
    List<Thread> threads = new ArrayList<>();
    for (List<EncodedCommand<?, ?, ?>> own : commands) {
      Thread thread = new Thread(() -> addAll(own, together));
      threads.add(thread);
      thread.start();
    }

    Map<EncodedCommand<?, ?, ?>, Integer> places = new IdentityHashMap<>();
    int taken = 0;
    while (true) {
      boolean aliveBefore = areAlive(threads);
      EncodedCommand<?, ?, ?> command = queue.poll();
      if (command != null) {
        assertThat(places.put(command, taken++)).as("it is taken once").isNull();
      } else if (!aliveBefore) {
        break; // What cannot be taken now never can.
      } else {
        Thread.yield();
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(queue.isEmpty()).isTrue();
    for (List<EncodedCommand<?, ?, ?>> own : commands) {
      assertThat(own).as("nothing is lost").allMatch(places::containsKey);
      for (int i = 1; i < EACH; i++) {
        int before = places.get(own.get(i - 1));
        int place = places.get(own.get(i));
        assertThat(place).as("one thread's commands keep their order").isGreaterThan(before);
        if (!beginsChain(i)) {
          assertThat(place).as("a chain is whole").isEqualTo(before + 1);
        }
      }
    }
  }

  private static boolean areAlive(List<Thread> threads) {
    return threads.stream().anyMatch(Thread::isAlive);
  }

  /** Chains of one to four commands in turn. */
  private void addAll(List<EncodedCommand<?, ?, ?>> own, CountDownLatch together) {
    together.countDown();
    try {
      together.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    int first = 0;
    while (first < EACH) {
      int last = first;
      while (last + 1 < EACH && !beginsChain(last + 1)) {
        own.get(last).linkTo(own.get(last + 1));
        last++;
      }
      queue.link(own.get(first), own.get(last));
      first = last + 1;
    }
  }

  private static boolean beginsChain(int i) {
    int[] starts = {0, 1, 3, 6};
    return Arrays.binarySearch(starts, i % (6 + LONGEST_CHAIN)) >= 0;
  }

  private static EncodedCommand<?, ?, ?> command() {
    return EncodedCommand.encode(
        new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)), false);
  }
}
