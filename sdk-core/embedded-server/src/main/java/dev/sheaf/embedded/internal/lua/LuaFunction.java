// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.Set;

/**
 * A function a library registered with an engine.
 *
 * @param name letters, digits and underscores
 * @param description empty without one
 * @param flags as in a script's first line
 * @param reference what the engine knows it by
 */
public record LuaFunction(String name, byte[] description, Set<String> flags, int reference)
    implements LuaCode {
  /** What a server says where a name, of a library as well, is none. */
  public static final String NAME_RULE =
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one"
          + " character long";

  public static boolean isName(String name) {
    return name.matches("[A-Za-z0-9_]+");
  }
}
