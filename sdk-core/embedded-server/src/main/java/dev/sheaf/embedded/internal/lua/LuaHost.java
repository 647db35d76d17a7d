// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.protocol.RecordedReply;
import org.jspecify.annotations.Nullable;

/**
 * The server that a script calls. All methods are called on the thread that runs the script, which
 * waits for them.
 */
@FunctionalInterface
public interface LuaHost {

  /**
   * Runs a command for {@code redis.call} or {@code redis.pcall}. A command that fails has an error
   * reply. An exception ends the script, and {@link LuaEngine#run} throws it.
   *
   * @param command the name and the arguments; at least the name
   * @param respVersion the protocol of the reply, 2 or 3. A script starts with 2
   */
  RecordedReply call(byte[][] command, int respVersion);

  /**
   * Logs a message of {@code redis.log}.
   *
   * @param level 0 debug, 1 verbose, 2 notice, 3 warning
   */
  default void log(int level, byte[] message) {}

  /**
   * Returns whether the script must end, which it cannot catch. Called every {@link
   * LuaEngine#INSTRUCTIONS_PER_POLL} instructions.
   */
  default boolean interrupted() {
    return false;
  }

  /**
   * Returns whether the user may run a command, for {@code redis.acl_check_cmd}.
   *
   * @return null if there is no such command
   */
  default @Nullable Boolean allowed(byte[][] command) {
    return true;
  }
}
