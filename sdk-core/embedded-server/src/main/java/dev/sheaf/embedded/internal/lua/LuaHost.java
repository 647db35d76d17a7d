// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a script reaches outside its engine. All methods are called on the thread that runs the
 * script, while it waits.
 *
 * <p>Replies are: {@link Long}, {@code byte[]}, {@link LuaStatus}, {@link LuaError}, null, {@link
 * List}; and for a script that chose RESP3 also {@link Double}, {@link Boolean}, {@link Map},
 * {@link Set}, {@link LuaBigNumber} and {@link LuaVerbatim}. They nest.
 */
@FunctionalInterface
public interface LuaHost {

  /**
   * Runs a command of {@code redis.call} or {@code redis.pcall}. Failures of the command are
   * returned as {@link LuaError}. An exception ends the script and leaves {@code eval} as it is.
   *
   * @param command name and arguments, at least the name; the name's bytes are not to be changed
   * @param readOnlyScript whether the script may not write
   */
  @Nullable Object call(byte[][] command, boolean readOnlyScript);

  /**
   * Takes a message of {@code redis.log}.
   *
   * @param level 0 debug, 1 verbose, 2 notice, 3 warning
   */
  default void log(int level, byte[] message) {}

  /** Tells the protocol the script wants replies in: 2, as at every start, or 3. */
  default void respVersion(int version) {}

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
