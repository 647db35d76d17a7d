// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.HashMap;
import java.util.Map;

/** Functions on Lua's side that native functions call: Lua's own, and those of sandbox.lua. */
final class LuaFunctions {
  private final LuaState state;
  private final Map<String, Integer> refs = new HashMap<>();

  LuaFunctions(LuaState state) {
    this.state = state;
  }

  /** Takes them from the table on top. */
  void take(long l, String... names) {
    for (String name : names) {
      state.rawGet(l, -1, name);
      refs.put(name, state.ref(l));
    }
  }

  void push(long l, String name) {
    Integer ref = refs.get(name);
    if (ref == null) {
      throw new IllegalArgumentException("no function " + name);
    }
    state.pushRef(l, ref);
  }

  /** Calls one that takes nothing and cannot fail. */
  void run(long l, String name) {
    push(l, name);
    if (!state.call(l, 0, 0)) {
      state.pop(l, 1);
    }
  }

  /** Calls one with all arguments; its errors become those of the native function. */
  int delegate(long l, String name, boolean positioned) {
    push(l, name);
    state.api.lua_insert(l, 1);
    int arguments = state.top(l) - 1;
    if (state.call(l, arguments, LuaState.MULTIPLE_RESULTS)) {
      return state.top(l);
    }
    if (state.type(l, -1) != LuaState.STRING) {
      throw LuaRaise.onTop();
    }
    throw named(state.text(l, -1), positioned);
  }

  /** An error of a function called from here lacks what Lua found in the script's call. */
  static LuaRaise named(String message, boolean positioned) {
    String prefix = "bad argument #";
    int middle = message.indexOf(" to '?' (");
    if (message.startsWith(prefix) && middle > 0 && message.endsWith(")")) {
      int number = Integer.parseInt(message.substring(prefix.length(), middle));
      String text = message.substring(middle + " to '?' (".length(), message.length() - 1);
      return LuaRaise.argument(number, text);
    }
    return positioned ? LuaRaise.positioned(message) : LuaRaise.plain(message);
  }
}
