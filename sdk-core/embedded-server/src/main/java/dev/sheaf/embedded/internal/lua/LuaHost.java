// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.protocol.RecordedReply;
import org.jspecify.annotations.Nullable;

/**
 * What a script reaches outside its engine. All methods are called on the thread that runs the
 * script, while it waits.
 */
@FunctionalInterface
public interface LuaHost {

  /**
   * Runs a command of {@code redis.call} or {@code redis.pcall}. Failures of the command are error
   * replies. An exception ends the script and leaves {@link LuaEngine#run} as it is.
   *
   * @param command name and arguments, at least the name
   * @param respVersion the protocol the script wants the reply in: 2, as at every start, or 3
   */
  RecordedReply call(byte[][] command, int respVersion);

  /**
   * Takes a message of {@code redis.log}.
   *
   * @param level 0 debug, 1 verbose, 2 notice, 3 warning
   */
  default void log(int level, byte[] message) {}

  /**
   * Asked every {@link LuaEngine#INSTRUCTIONS_PER_POLL} instructions; true ends the script, which
   * cannot catch that.
   */
  default boolean interrupted() {
    return false;
  }

  /**
   * Answers {@code redis.acl_check_cmd}.
   *
   * @return null if there is no such command
   */
  default @Nullable Boolean allowed(byte[][] command) {
    return true;
  }
}
