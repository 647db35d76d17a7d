// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.node.FaultRules;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Fault injection and test replies, for all nodes, or for one with {@link #on}. Each node counts
 * separately. Thread-safe; effective from the next command. Command names are case-insensitive,
 * subcommands are written {@code client|setname}, and {@code *} matches any command.
 */
public final class Faults {

  private final Topology topology;
  private final Supplier<List<EmbeddedNode>> nodes;

  Faults(Topology topology) {
    this(topology, topology::wrappers);
  }

  private Faults(Topology topology, Supplier<List<EmbeddedNode>> nodes) {
    this.topology = topology;
    this.nodes = nodes;
  }

  /** Returns the faults of one node. */
  public Faults on(EmbeddedNode node) {
    return new Faults(topology, () -> List.of(node));
  }

  /**
   * Answers the next executions of a command with an error.
   *
   * @param times how many executions per node
   * @param errorLine the whole error with its code, such as {@code LOADING Redis is loading the
   *     dataset in memory}
   * @throws IllegalArgumentException if {@code times} is not positive, the line is empty, or the
   *     command does not exist
   */
  public void failNext(String command, int times, String errorLine) {
    requireCommand(command);
    requireTimes(times);
    requireLine(errorLine);
    each(faults -> faults.answer(command, times, (name, args) -> new CommandException(errorLine)));
  }

  /**
   * Answers every execution of a command with an error, until {@link #clear()}.
   *
   * @throws IllegalArgumentException if the line is empty or the command does not exist
   */
  public void errorOn(String command, String errorLine) {
    requireCommand(command);
    requireLine(errorLine);
    onCommand(command, intercepted -> intercepted.error(errorLine));
  }

  /**
   * Lets an interceptor answer every execution of a command, including those of scripts and
   * transactions, until {@link #clear()}. If there are two for a command, the first one is used.
   *
   * @throws IllegalArgumentException if the command does not exist
   */
  public void onCommand(String command, CommandInterceptor interceptor) {
    requireCommand(command);
    for (EmbeddedNode node : nodes.get()) {
      FaultRules.Answer answer =
          (name, args) -> interceptor.answer(new InterceptedCommand(node, name, args));
      node.node().faults.answer(command, FaultRules.ALWAYS, answer);
    }
  }

  /**
   * Delays every execution of a command, until {@link #clear()}. Only the connection that sent it
   * waits, by the machine's clock.
   *
   * @throws IllegalArgumentException if the duration is not positive or the command does not exist
   */
  public void latency(String command, Duration before) {
    requireCommand(command);
    Check.argument(
        before.isNegative() || before.isZero(), "a latency must be positive: %s", before);
    each(faults -> faults.delay(command, FaultRules.ALWAYS, before.toNanos()));
  }

  /**
   * Runs the next executions of a command but drops their replies: the client waits in vain, and
   * the next reply that it gets belongs to its next command.
   *
   * @throws IllegalArgumentException if {@code times} is not positive or the command does not exist
   */
  public void dropReplies(String command, int times) {
    requireCommand(command);
    requireTimes(times);
    each(faults -> faults.dropReply(command, times));
  }

  /**
   * Cuts every connection after it has been sent this many more bytes, even within a reply, until
   * {@link #clear()}.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  public void cutAfterBytes(long bytes) {
    Check.argument(bytes < 0, "bytes must not be negative: %s", bytes);
    each(faults -> faults.cutAfterBytes = bytes);
  }

  /** Starts or stops answering LOADING to all commands that a loading server refuses. */
  public void loading(boolean on) {
    each(faults -> faults.loading = on);
  }

  /** Starts or stops answering READONLY to writes, as a replica does. */
  public void readOnly(boolean on) {
    each(faults -> faults.readOnly = on);
  }

  /** Stops or resumes reading from sockets, like a suspended process. */
  public void pauseReading(boolean on) {
    nodes.get().forEach(node -> node.freeze(on));
  }

  private void each(Consumer<FaultRules> change) {
    nodes.get().forEach(node -> change.accept(node.node().faults));
  }

  /** Ends all faults. Lost replies stay lost. */
  public void clear() {
    each(FaultRules::clear);
    pauseReading(false);
  }

  private void requireCommand(String command) {
    String name = command.toLowerCase(Locale.ROOT);
    Command known = topology.commands().find(name);
    if (name.equals("*") || (known != null && !known.isContainer())) {
      return;
    }
    throw new IllegalArgumentException(
        known == null
            ? "the embedded server has no command '" + command + "'; * stands for any"
            : "'" + command + "' runs by its subcommands only, such as " + firstSubcommand(known));
  }

  private static String firstSubcommand(Command container) {
    return container.subcommands.values().iterator().next().name();
  }

  private static void requireTimes(int times) {
    Check.argument(times < 1, "times must be positive: %s", times);
  }

  private static void requireLine(String errorLine) {
    Check.argument(
        errorLine.isEmpty(),
        "the error line must not be empty; it starts with its code, such as ERR");
  }
}
