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
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The queue under real threads, because a model of interleavings knows nothing of what a processor
 * reorders. Hunted for: commands that are lost, doubled or reordered, and chains that are torn.
 */
class PendingQueueThreadsTest {

  private static final int PRODUCERS = 3;
  private static final int EACH = 20_000;
  private static final int LONGEST_CHAIN = 4;

  /** The type of the commands that are removed. */
  private static final CommandType REMOVED = CommandType.TIME;

  private final List<List<EncodedCommand<?, ?, ?>>> commands = new ArrayList<>();
  private final PendingQueue queue =
      new PendingQueue(BatchingOptions.defaults(), new WriteClock(), null, () -> {}, () -> {});

  @Test
  void threadsAdd_nothingIsLostDoubledReorderedOrTorn() throws InterruptedException {
    Map<EncodedCommand<?, ?, ?>, Integer> places = new IdentityHashMap<>();
    consumeAll(command -> taken(command, places), () -> {});

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

  @Test
  void commandsAreRemovedMeanwhile_noOtherIsLostDoubledOrReordered() throws InterruptedException {
    Map<EncodedCommand<?, ?, ?>, Integer> places = new IdentityHashMap<>();
    consumeAll(
        command -> taken(command, places),
        () -> queue.removeIf(command -> command.getType() == REMOVED));

    assertThat(queue.isEmpty()).isTrue();
    // Their room was released, though they had taken none.
    int removed = -queue.commands();
    assertThat(removed).as("some are removed").isPositive();
    assertThat(places.size() + removed).as("each once").isEqualTo(PRODUCERS * EACH);
    for (List<EncodedCommand<?, ?, ?>> own : commands) {
      int last = -1;
      for (EncodedCommand<?, ?, ?> command : own) {
        Integer place = places.get(command);
        if (place == null) {
          assertThat(command.getType()).as("no other is lost").isEqualTo(REMOVED);
        } else {
          assertThat(place).as("one thread's commands keep their order").isGreaterThan(last);
          last = place;
        }
      }
    }
  }

  /** Takes what the threads add, with another action now and then. */
  private void consumeAll(Consumer<EncodedCommand<?, ?, ?>> taken, Runnable between)
      throws InterruptedException {
    for (int producer = 0; producer < PRODUCERS; producer++) {
      List<EncodedCommand<?, ?, ?>> own = new ArrayList<>();
      for (int i = 0; i < EACH; i++) {
        // The last one, too: producers may still link to it.
        own.add(command(i % 3 == (EACH - 1) % 3 ? REMOVED : CommandType.PING));
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

    int turns = 0;
    while (true) {
      boolean aliveBefore = areAlive(threads);
      if (++turns % 4 == 0) {
        between.run();
      }
      EncodedCommand<?, ?, ?> command = queue.poll();
      if (command != null) {
        taken.accept(command);
      } else if (!aliveBefore) {
        break; // What cannot be taken now never can.
      } else {
        Thread.yield();
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void taken(
      EncodedCommand<?, ?, ?> command, Map<EncodedCommand<?, ?, ?>, Integer> places) {
    assertThat(places.put(command, places.size())).as("it is taken once").isNull();
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

  private static EncodedCommand<?, ?, ?> command(CommandType type) {
    return EncodedCommand.encode(new Command<>(type, new StatusOutput<>(StringCodec.ASCII)), false);
  }
}
