// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.Set;

/**
 * A function that a library registered with an engine.
 *
 * @param name letters, digits and underscores
 * @param description may be empty
 * @param flags as in a script's first line
 * @param reference the engine's reference to it
 */
public record LuaFunction(String name, byte[] description, Set<String> flags, int reference)
    implements LuaCode {
  /** The error of a server for an invalid name of a function or library. */
  public static final String NAME_RULE =
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one"
          + " character long";

  public static boolean isName(String name) {
    return name.matches("[A-Za-z0-9_]+");
  }
}
