// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.pipeline.CommandTimeouts;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The queue of commands that wait for the connection to one node. */
class HeldCommandsTest {

  private static final int COMMANDS = 100;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final List<RedisCommand<String, String, ?>> passedOn = new ArrayList<>();

  private HeldCommands<String, String> held(Duration timeout, int maxQueued) {
    RedisClusterNode node = RedisClusterNode.of("id");
    node.setUri(RedisURI.create("node", 1));
    CommandTimeouts timeouts = new CommandTimeouts(TimeoutOptions.enabled());
    timeouts.setConnectionTimeout(timeout);
    return new HeldCommands<>(
        node,
        BatchingOptions.builder().maxQueuedCommands(maxQueued).build(),
        timeouts,
        null,
        passedOn::add);
  }

  private static List<AsyncCommand<String, String, Long>> addTo(
      HeldCommands<String, String> held, int commands) {
    List<AsyncCommand<String, String, Long>> added = new ArrayList<>();
    for (int i = 0; i < commands; i++) {
      AsyncCommand<String, String, Long> command =
          new AsyncCommand<>(
              new Command<>(
                  CommandType.INCR,
                  new IntegerOutput<>(StringCodec.UTF8),
                  new CommandArgs<>(StringCodec.UTF8).addKey("key")));
      assertThat(held.add(command)).isTrue();
      added.add(command);
    }
    return added;
  }

  private static void assertLate(AsyncCommand<?, ?, ?> command, Duration timeout, int waiting) {
    assertThatThrownBy(command::get)
        .cause()
        .isInstanceOf(RedisCommandTimeoutException.class)
        .hasMessageContaining("by node:1 within " + timeout.toMillis() + " ms (no connection)")
        .hasMessageContaining("(commands that wait for it: " + waiting + ")");
  }

  private static void awaitTimeout(Duration timeout) {
    long begunNanos = System.nanoTime();
    Await.until("it", timeout, () -> System.nanoTime() - begunNanos > timeout.toNanos());
  }

  @Test
  void commandsWhoseCallersEndTheirWaits_fail_andTheOthersKeepTheirOrder() {
    HeldCommands<String, String> held = held(LONG, COMMANDS);
    List<AsyncCommand<String, String, Long>> commands = addTo(held, COMMANDS);
    List<AsyncCommand<String, String, Long>> late = commands.subList(10, 90);
    AsyncCommand<String, String, Long> elsewhere = addTo(held(LONG, 1), 1).get(0);
    List<AsyncCommand<String, String, Long>> asked = new ArrayList<>(late);
    asked.add(elsewhere);
    held.expire(asked, TimeUnit.MILLISECONDS.toNanos(5));
    late.forEach(command -> assertLate(command, Duration.ofMillis(5), COMMANDS));
    assertThat(elsewhere).isNotDone();
    // Their room is free again.
    List<AsyncCommand<String, String, Long>> more = addTo(held, late.size());
    held.release(null, () -> {});
    List<RedisCommand<String, String, ?>> rest = new ArrayList<>(commands.subList(0, 10));
    rest.addAll(commands.subList(90, COMMANDS));
    rest.addAll(more);
    assertThat(passedOn).isEqualTo(rest);
    assertThat(held.add(commands.get(0))).isFalse();
  }

  @Test
  void commandsAtTheirTimeout_fail_andThoseThatAreDoneMakeRoom() {
    Duration timeout = Duration.ofMillis(1);
    HeldCommands<String, String> held = held(timeout, COMMANDS);
    List<AsyncCommand<String, String, Long>> commands = addTo(held, COMMANDS);
    commands.get(0).cancel(true);
    awaitTimeout(timeout);
    held.expire();
    assertThat(commands.get(0)).isCancelled();
    commands.subList(1, COMMANDS).forEach(command -> assertLate(command, timeout, COMMANDS));
    addTo(held, COMMANDS);
    held.release(null, () -> {});
    assertThat(passedOn).hasSize(COMMANDS).doesNotContainAnyElementsOf(commands);
  }

  /** A caller can end its wait while the check does: one of them fails the command. */
  @Test
  void aCommandThatIsBeingFailed_isStillHeld() {
    Duration timeout = Duration.ofMillis(1);
    HeldCommands<String, String> held = held(timeout, COMMANDS);
    List<AsyncCommand<String, String, Long>> commands = addTo(held, 2);
    List<AsyncCommand<String, String, Long>> second = commands.subList(1, 2);
    commands.get(0).whenComplete((value, failure) -> held.expire(second, timeout.toNanos()));
    awaitTimeout(timeout);
    held.expire();
    // It was one of two that waited, and is counted although it has left the queue.
    assertLate(second.get(0), timeout, commands.size());
  }
}
