// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of commands that scripts have called. Strings of one content are one object in Lua, so
 * a look into a table there tells which name it is, for less than its bytes cost on their way out.
 */
final class CommandNames {
  /** Above the number of commands there are; in both cases, some. */
  private static final int MAX_NAMES = 1024;

  private static final int MAX_BYTES = 32;

  private final LuaState state;
  private final int numbersRef;
  private final List<byte[]> names = new ArrayList<>();

  CommandNames(LuaState state) {
    this.state = state;
    state.api.lua_createtable(state.main, 0, 0);
    this.numbersRef = state.ref(state.main);
  }

  /**
   * The name at the index, which counts from the bottom, or null. May leave values on the stack.
   */
  byte @Nullable [] find(long l, int index) {
    state.pushRef(l, numbersRef);
    state.api.lua_pushvalue(l, index);
    state.api.lua_rawget(l, -2);
    int number = (int) state.api.lua_tonumber(l, -1);
    return number == 0 ? null : names.get(number - 1);
  }

  /** Remembers a string, which {@link #find} did not know, with its bytes. */
  void remember(long l, int index, byte[] name) {
    if (name.length > MAX_BYTES || names.size() == MAX_NAMES) {
      return;
    }
    names.add(name);
    state.pushRef(l, numbersRef);
    state.api.lua_pushvalue(l, index);
    state.api.lua_pushnumber(l, names.size());
    state.api.lua_rawset(l, -3);
    state.pop(l, 1);
  }
}
