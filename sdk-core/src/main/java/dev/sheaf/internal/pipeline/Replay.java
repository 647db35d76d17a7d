// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.command.RespRequest;
import dev.sheaf.internal.command.StartsAgain;
import dev.sheaf.internal.fusion.FusedRead;
import dev.sheaf.internal.fusion.NilCheck;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which commands are sent again after a lost connection.
 *
 * <p>Commands that may change data or the state of the connection fail, because they may have run.
 * Reads are sent again, with two exceptions. A read that precedes a failed write of the same key is
 * not: if the write ran, the read would see a value that its caller wrote afterwards. A read that
 * follows a failed command such as HELLO or RESET is not: the new connection lacks that state, and
 * the read would be answered otherwise.
 *
 * <p>No command of a transaction is sent again. Without EXEC it has not run.
 *
 * <p>Visits the unanswered commands of one connection from the last one backwards. Confined to the
 * event loop of that connection.
 */
final class Replay {

  /**
   * How many connections may be lost while a read is the next to be answered, before the read
   * fails. Its reply may be the reason, for instance if it exceeds the server's output buffer
   * limit. Ten reconnects take about a second.
   */
  static final int MAX_LOSSES = 10;

  /**
   * How many connections may be lost before reads that were sent together are sent one by one, so
   * that only the one that is the reason fails. Half of all losses, so that each half is enough to
   * bridge other causes.
   */
  static final int LOSSES_TOGETHER = MAX_LOSSES / 2;

  /** Hashes of the keys that the failed commands may have written. */
  private final Set<Integer> writtenLater = new HashSet<>();

  /** Whether one of them may have changed every key. */
  private boolean allWrittenLater;

  /** The reads to send again. */
  private final List<EncodedCommand<?, ?, ?>> again = new ArrayList<>();

  private int unknown;

  /** Whether an EXEC among them was sent: its transaction may have run. */
  private boolean executed;

  private Replay() {}

  /**
   * Ends flights that will not be answered, and decides about their commands.
   *
   * @param flights in the order they were sent
   */
  static Replay of(List<Flight> flights) {
    Replay replay = new Replay();
    List<RedisCommand<?, ?, ?>> first = List.of();
    for (int i = flights.size() - 1; i >= 0; i--) {
      Flight flight = flights.get(i);
      boolean answerBegun = flight.isAnswerBegun();
      List<RedisCommand<?, ?, ?>> parts = flight.lose();
      first = parts;
      if (answerBegun) {
        failIfPartlyDecoded(parts.get(0));
      }
      for (EncodedCommand<?, ?, ?> command : inReverse(parts)) {
        command.calledBy(flight.sentNanos());
        if (!replay.mayRepeat(command)) {
          replay.unknown++;
          command.completeExceptionally(new OutcomeUnknownException(command.getType().toString()));
        } else if (command.isAbandoned()) {
          command.drop();
        }
      }
    }
    Collections.reverse(replay.again);
    replay.countLoss(first);
    return replay;
  }

  /**
   * Counts a lost connection for the command that was the next to be answered: replies arrive in
   * order, so it is the first.
   *
   * @param parts the unanswered parts of the first flight
   */
  private void countLoss(List<RedisCommand<?, ?, ?>> parts) {
    if (parts.isEmpty()) {
      return;
    }
    for (EncodedCommand<?, ?, ?> read : inReverse(parts.subList(0, 1))) {
      if (read.lost() >= MAX_LOSSES && again.remove(read)) {
        fail(
            read,
            "that has happened "
                + MAX_LOSSES
                + " times. Is its reply larger than the server's client-output-buffer-limit?");
      }
    }
  }

  /**
   * Fails commands that Lettuce would send again by itself but must not. Commands in flights are
   * handled by {@link #of}, which does not see the others; reads in flights that must not be sent
   * again because of the others fail here.
   *
   * @param unanswered in the order they were sent
   */
  static void failUnsafe(List<RedisCommand<?, ?, ?>> unanswered) {
    Replay replay = new Replay();
    for (int i = unanswered.size() - 1; i >= 0; i--) {
      RedisCommand<?, ?, ?> command = unanswered.get(i);
      Flight flight = Flight.in(command);
      if (flight != null) {
        inReverse(flight.unanswered()).forEach(replay::mayRepeat);
      } else {
        EncodedCommand<?, ?, ?> encoded = EncodedCommand.in(command);
        boolean mayRepeat =
            encoded == null
                ? CommandTraits.of(command.getType()).isRepeatable()
                : replay.mayRepeat(encoded);
        if (!mayRepeat && !command.isDone()) {
          command.completeExceptionally(new OutcomeUnknownException(command.getType().toString()));
        }
      }
    }
  }

  /** The commands to send again, in order. */
  List<EncodedCommand<?, ?, ?>> again() {
    return again;
  }

  /** How many commands failed although they may have run. */
  int unknown() {
    return unknown;
  }

  /**
   * Fails a read whose reply was cut off if its output holds part of the reply: a second reply
   * would be added to that. A single value is read whole or not at all, and a fused read starts
   * again.
   */
  private static void failIfPartlyDecoded(RedisCommand<?, ?, ?> part) {
    if (part instanceof EncodedCommand<?, ?, ?> command
        && command.traits().isRepeatable()
        && !command.isAbandoned()
        && !(command.getDelegate().getOutput() instanceof ValueOutput)
        && !(command.getDelegate().getOutput() instanceof StartsAgain)) {
      command.completeExceptionally(
          new ConnectionLostException(
              command.getType()
                  + " was answered in part when the connection was lost, and not sent again"));
    }
  }

  /** The callers' commands in the parts of a flight, last one first. */
  private static List<EncodedCommand<?, ?, ?>> inReverse(List<RedisCommand<?, ?, ?>> parts) {
    List<EncodedCommand<?, ?, ?>> commands = new ArrayList<>(parts.size());
    for (RedisCommand<?, ?, ?> part : parts) {
      if (part instanceof FusedRead fused) {
        commands.addAll(fused.reads());
      } else if (part instanceof NilCheck check) {
        commands.add(check.read());
      } else if (part instanceof EncodedCommand<?, ?, ?> command) {
        commands.add(command);
      }
    }
    Collections.reverse(commands);
    return commands;
  }

  /**
   * Visits a command. Fails it if a later command forbids sending it again.
   *
   * @return whether it may run twice; if not, it must fail
   */
  private boolean mayRepeat(EncodedCommand<?, ?, ?> command) {
    CommandTraits traits = command.traits();
    if (traits.isAlone()) {
      executed = traits.is(CommandType.EXEC);
    } else if (command.isMember() && !executed) {
      fail(command, "EXEC was not sent; nothing of the transaction was executed");
      return true;
    }
    if (!traits.isRepeatable() || command.isMember() || isAbandonedState(command)) {
      giveUp(command, traits);
      return false;
    }
    if (!command.isAbandoned()) {
      if (isOvertaken(command)) {
        fail(command, "a later command for the same key may have run meanwhile");
      } else if (again.isEmpty() || again.get(again.size() - 1) != command) {
        again.add(command);
      }
    }
    return true;
  }

  /** Whether its caller has given it up, so that those behind it miss its effect. */
  private static boolean isAbandonedState(EncodedCommand<?, ?, ?> command) {
    CommandTraits traits = command.traits();
    return command.isAbandoned() && traits.isOfConnection() && traits.writesAny();
  }

  private void giveUp(EncodedCommand<?, ?, ?> command, CommandTraits traits) {
    if (traits.isOfConnection() && traits.writesAny()) {
      // It changes the view of every key, but no key.
      for (EncodedCommand<?, ?, ?> read : again) {
        fail(read, traits + " was called before it, and the new connection is without its effect");
      }
      again.clear();
    } else if (traits.writesAny()) {
      allWrittenLater = true;
    } else {
      byte[] request = command.request();
      traits.forEachWrittenKey(
          request, (start, end) -> writtenLater.add(RequestEncoder.hash(request, start, end)));
    }
  }

  private boolean isOvertaken(EncodedCommand<?, ?, ?> read) {
    if (!read.traits().isRead()) {
      return false;
    }
    if (allWrittenLater || writtenLater.isEmpty()) {
      return allWrittenLater;
    }
    boolean[] overtaken = {read.traits().readsUnnamed()};
    byte[] request = read.request();
    RespRequest.forEachArgument(
        request,
        (start, end) ->
            overtaken[0] |= writtenLater.contains(RequestEncoder.hash(request, start, end)));
    return overtaken[0];
  }

  private static void fail(EncodedCommand<?, ?, ?> read, String why) {
    read.completeExceptionally(
        new ConnectionLostException(
            read.getType()
                + " was not answered before the connection was lost, and not sent again, because "
                + why));
  }
}
