package dev.sheaf.internal.pipeline;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.internal.command.EncodedCommand;
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
 * Decides what becomes of the commands whose replies were lost with their connection.
 *
 * <p>What may change data is given up, because it may have run. What only reads is sent again,
 * unless a later command that was given up names the same key: if that one ran, a read sent again
 * would see what its caller wrote only afterwards.
 */
final class LostReplies {

  /** Hashes of the arguments of commands given up so far, from the last one backwards. */
  private final Set<Integer> argumentsOfLaterWrites = new HashSet<>();

  private final List<EncodedCommand<?, ?, ?>> again = new ArrayList<>();

  private int unknown;

  /** When the flight left that is being looked at. */
  private long sentNanos;

  private LostReplies() {}

  /**
   * Ends flights that will not be answered.
   *
   * @param flights in the order in which they were written
   */
  static LostReplies of(List<Flight> flights) {
    LostReplies lost = new LostReplies();
    for (int i = flights.size() - 1; i >= 0; i--) {
      boolean answerBegun = flights.get(i).isAnswerBegun();
      lost.sentNanos = flights.get(i).sentNanos();
      List<RedisCommand<?, ?, ?>> parts = flights.get(i).lose();
      for (int p = parts.size() - 1; p >= 0; p--) {
        if (p > 0 || !answerBegun || !failIfSpoilt(parts.get(p))) {
          lost.decide(parts.get(p));
        }
      }
    }
    Collections.reverse(lost.again);
    return lost;
  }

  /**
   * Fails a read whose reply was cut off, if what came of it is in its output already, where the
   * whole reply would be added to it. A single value is there wholly or not at all, and a fused
   * read begins anew.
   */
  private static boolean failIfSpoilt(RedisCommand<?, ?, ?> part) {
    if (!(part instanceof EncodedCommand<?, ?, ?> command)
        || !command.traits().isRepeatable()
        || command.isAbandoned()
        || command.getDelegate().getOutput() instanceof ValueOutput) {
      return false;
    }
    command.completeExceptionally(
        new ConnectionLostException(
            command.getType()
                + " was answered in part when the connection was lost, and not sent again"));
    return true;
  }

  /** What is to be sent again, in its order. */
  List<EncodedCommand<?, ?, ?>> again() {
    return again;
  }

  /** How many commands were given up that may have run. */
  int unknown() {
    return unknown;
  }

  private void decide(RedisCommand<?, ?, ?> part) {
    if (part instanceof FusedRead fused) {
      List<EncodedCommand<?, ?, ?>> reads = fused.reads();
      for (int i = reads.size() - 1; i >= 0; i--) {
        decide(reads.get(i));
      }
    } else if (part instanceof NilCheck check) {
      decide(check.get());
    } else if (part instanceof EncodedCommand<?, ?, ?> command) {
      decide(command);
    }
  }

  private void decide(EncodedCommand<?, ?, ?> command) {
    if (!command.traits().isRepeatable()) {
      command.forEachArgument(
          (request, start, end) ->
              argumentsOfLaterWrites.add(EncodedCommand.hash(request, start, end)));
      unknown++;
      command.completeExceptionally(new OutcomeUnknownException(command.getType().toString()));
    } else if (command.isAbandoned()) {
      command.ended();
    } else {
      readAgain(command);
    }
  }

  private void readAgain(EncodedCommand<?, ?, ?> read) {
    boolean[] overtaken = {false};
    if (!argumentsOfLaterWrites.isEmpty()) {
      read.forEachArgument(
          (request, start, end) ->
              overtaken[0] |=
                  argumentsOfLaterWrites.contains(EncodedCommand.hash(request, start, end)));
    }
    if (overtaken[0]) {
      read.completeExceptionally(
          new ConnectionLostException(
              read.getType()
                  + " was not answered before the connection was lost, and not sent again, because"
                  + " a later command for the same key may have run meanwhile"));
    } else if (again.isEmpty() || again.get(again.size() - 1) != read) {
      read.calledBy(sentNanos);
      again.add(read);
    }
  }
}
