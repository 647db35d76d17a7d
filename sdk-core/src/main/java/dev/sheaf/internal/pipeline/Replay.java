// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.command.RespRequest;
import dev.sheaf.internal.fusion.FusedRead;
import dev.sheaf.internal.fusion.NilCheck;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The decision on commands whose replies were lost with their connection: which are sent again.
 *
 * <p>What may change data or the state of the connection is given up, because it may have run. What
 * only reads is sent again, with two exceptions. Before a command that was given up, a read of what
 * that one writes is not: if it ran, the read would see what its caller wrote only afterwards.
 * Behind a command that was given up and sets the state of its connection, as SELECT and AUTH do,
 * no read is: the new connection does not have that state, and the read would see another database.
 *
 * <p>Looks at the unanswered commands of one connection from the last one backwards. Confined to
 * the event loop of that connection.
 */
final class Replay {

  /**
   * How many connections may be lost while a read's reply is the next, before it is sent no more:
   * its reply may be the reason, as one that is larger than the server's output buffer. Ten of them
   * last about a second.
   */
  static final int MAX_LOSSES = 10;

  /**
   * How many connections may be lost while the replies to several reads are the next, before each
   * of them travels alone: the one that is the reason then fails by itself. Half of the losses, so
   * that either half bridges what else may cut connections.
   */
  static final int LOSSES_TOGETHER = MAX_LOSSES / 2;

  /** Hashes of the keys that commands given up so far may have written. */
  private final Set<Integer> writtenLater = new HashSet<>();

  /** Whether one of them may have changed every key. */
  private boolean allWrittenLater;

  /** The reads that are to be sent again. */
  private final List<EncodedCommand<?, ?, ?>> again = new ArrayList<>();

  private int unknown;

  private Replay() {}

  /**
   * Ends flights that will not be answered.
   *
   * @param flights in the order in which they were written
   */
  static Replay of(List<Flight> flights) {
    Replay replay = new Replay();
    for (int i = flights.size() - 1; i >= 0; i--) {
      Flight flight = flights.get(i);
      boolean answerBegun = flight.isAnswerBegun();
      List<RedisCommand<?, ?, ?>> parts = flight.lose();
      if (answerBegun) {
        failIfSpoilt(parts.get(0));
      }
      for (EncodedCommand<?, ?, ?> command : backwards(parts)) {
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
    if (!flights.isEmpty()) {
      replay.countLoss(flights.get(0));
    }
    return replay;
  }

  /** Replies come in order, so the first without one is the one that was to come. */
  private void countLoss(Flight first) {
    List<RedisCommand<?, ?, ?>> parts = first.unanswered();
    if (parts.isEmpty()) {
      return;
    }
    for (EncodedCommand<?, ?, ?> read : backwards(parts.subList(0, 1))) {
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
   * Fails what Lettuce would send again by itself and must not, before it does. Commands that
   * travel in flights are given up by {@link #of}, which does not see the others; the reads among
   * them that must not be sent again because of the others are failed here.
   *
   * @param unanswered in the order in which they were written
   */
  static void failUnsafe(List<RedisCommand<?, ?, ?>> unanswered) {
    Replay replay = new Replay();
    for (int i = unanswered.size() - 1; i >= 0; i--) {
      RedisCommand<?, ?, ?> command = unanswered.get(i);
      Flight flight = Flight.in(command);
      if (flight != null) {
        backwards(flight.unanswered()).forEach(replay::mayRepeat);
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

  /** What is to be sent again, in its order. */
  List<EncodedCommand<?, ?, ?>> again() {
    return again;
  }

  /** How many commands were given up that may have run. */
  int unknown() {
    return unknown;
  }

  /**
   * Fails a read whose reply was cut off, if what came of it is in its output already, where the
   * whole reply would be added to it. A single value is there wholly or not at all, and a fused
   * read begins anew.
   */
  private static void failIfSpoilt(RedisCommand<?, ?, ?> part) {
    if (part instanceof EncodedCommand<?, ?, ?> command
        && command.traits().isRepeatable()
        && !command.isAbandoned()
        && !(command.getDelegate().getOutput() instanceof ValueOutput)) {
      command.completeExceptionally(
          new ConnectionLostException(
              command.getType()
                  + " was answered in part when the connection was lost, and not sent again"));
    }
  }

  /** The callers' commands in parts of a flight, the last one first. */
  private static List<EncodedCommand<?, ?, ?>> backwards(List<RedisCommand<?, ?, ?>> parts) {
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
   * Looks at one command, and fails the reads that must not be sent again because of it, or itself
   * because of later ones.
   *
   * @return whether it may run twice; else it is to be given up
   */
  private boolean mayRepeat(EncodedCommand<?, ?, ?> command) {
    CommandTraits traits = command.traits();
    if (!traits.isRepeatable()) {
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

  private void giveUp(EncodedCommand<?, ?, ?> command, CommandTraits traits) {
    if (traits.isOfConnection() && traits.writesAny()) {
      // It changes what the connection says of every key, but no key.
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
    if (allWrittenLater) {
      return read.traits().isRead();
    }
    if (writtenLater.isEmpty()) {
      return false;
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
