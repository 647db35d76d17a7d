package dev.sheaf.internal.command;

import dev.sheaf.OutcomeUnknownException;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ReadOnlyCommands;
import io.lettuce.core.protocol.RedisCommand;

/**
 * Which commands may be sent a second time when the connection was lost before their reply: those
 * that change nothing. All others may have run already, which nobody can know.
 */
public final class ReplaySafety {

  private ReplaySafety() {}

  public static boolean isSafe(RedisCommand<?, ?, ?> command) {
    ProtocolKeyword type = command.getType();
    return ReadOnlyCommands.isReadOnlyCommand(type) || type == CommandType.PING;
  }

  /** Fails a command that was sent, whose reply will not come, and that may not be sent again. */
  public static void failUnknown(RedisCommand<?, ?, ?> command) {
    command.completeExceptionally(new OutcomeUnknownException(command.getType().toString()));
  }
}
