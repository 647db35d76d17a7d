package dev.sheaf;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ReadOnlyCommands;
import io.lettuce.core.protocol.RedisCommand;

/**
 * Which commands may be sent a second time when the connection was lost before their reply: those
 * that change nothing. All others may have run already, which nobody can know.
 */
final class ReplaySafety {

  private ReplaySafety() {}

  static boolean isSafe(RedisCommand<?, ?, ?> command) {
    ProtocolKeyword type = command.getType();
    return ReadOnlyCommands.isReadOnlyCommand(type) || type == CommandType.PING;
  }

  /** Fails a command that was sent, whose reply will not come, and that may not be sent again. */
  static void failUnknown(RedisCommand<?, ?, ?> command) {
    command.completeExceptionally(new OutcomeUnknownException(command.getType().toString()));
  }
}
