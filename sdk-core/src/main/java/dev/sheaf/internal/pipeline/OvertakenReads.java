package dev.sheaf.internal.pipeline;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.fusion.FusedRead;
import dev.sheaf.internal.fusion.NilCheck;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fails the reads of a lost connection that must not be sent again, because a later command for the
 * same key may have run: the read would see what its caller wrote only afterwards.
 *
 * <p>Is told of the unanswered commands of one connection from the last one backwards. Confined to
 * the event loop of that connection.
 */
final class OvertakenReads {

  /** Hashes of the arguments of what is no read. */
  private final Set<Integer> argumentsOfLaterWrites = new HashSet<>();

  /** Looks at all parts of a flight that have no reply. */
  void failIn(Flight flight) {
    List<RedisCommand<?, ?, ?>> parts = flight.unanswered();
    for (int i = parts.size() - 1; i >= 0; i--) {
      RedisCommand<?, ?, ?> part = parts.get(i);
      if (part instanceof FusedRead fused) {
        fused.reads().forEach(this::fail);
      } else {
        fail(part instanceof NilCheck check ? check.get() : part);
      }
    }
  }

  /**
   * Looks at one command.
   *
   * @return whether it was failed
   */
  boolean fail(RedisCommand<?, ?, ?> command) {
    EncodedCommand<?, ?, ?> outgoing = outgoingIn(command);
    if (outgoing == null) {
      return false;
    }
    if (!outgoing.traits().isRepeatable()) {
      outgoing.forEachArgument(
          (request, start, end) ->
              argumentsOfLaterWrites.add(EncodedCommand.hash(request, start, end)));
      return false;
    }
    if (argumentsOfLaterWrites.isEmpty() || outgoing.isAbandoned() || !isOvertaken(outgoing)) {
      return false;
    }
    outgoing.completeExceptionally(
        new ConnectionLostException(
            outgoing.getType()
                + " was not answered before the connection was lost, and not sent again, because"
                + " a later command for the same key may have run meanwhile"));
    return true;
  }

  private boolean isOvertaken(EncodedCommand<?, ?, ?> read) {
    boolean[] overtaken = {false};
    read.forEachArgument(
        (request, start, end) ->
            overtaken[0] |=
                argumentsOfLaterWrites.contains(EncodedCommand.hash(request, start, end)));
    return overtaken[0];
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // Lettuce wraps commands to measure them.
  private static @Nullable EncodedCommand<?, ?, ?> outgoingIn(RedisCommand<?, ?, ?> command) {
    if (command instanceof EncodedCommand<?, ?, ?> outgoing) {
      return outgoing;
    }
    return command instanceof CommandWrapper
        ? CommandWrapper.unwrap((RedisCommand) command, EncodedCommand.class)
        : null;
  }
}
