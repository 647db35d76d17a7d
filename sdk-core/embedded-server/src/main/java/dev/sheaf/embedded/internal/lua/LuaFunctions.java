// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lua functions that native functions call: Lua's own and those of sandbox.lua. */
final class LuaFunctions {
  /** The position of a call in one of the files beside this class. */
  private static final Pattern OWN_PLACE =
      Pattern.compile("^(?:sandbox|support|cjson|cmsgpack|struct):\\d+: ");

  private static final Pattern BAD_ARGUMENT =
      Pattern.compile("bad argument #(\\d+) to '[^']*' \\((.*)\\)", Pattern.DOTALL);

  private final LuaState state;
  private final Map<String, Integer> refs = new HashMap<>();

  LuaFunctions(LuaState state) {
    this.state = state;
  }

  /** Takes functions from the table on top. */
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

  /** Calls a function that has no arguments and cannot fail. */
  void run(long l, String name) {
    push(l, name);
    if (!state.call(l, 0, 0)) {
      state.pop(l, 1);
    }
  }

  /** Calls a function with all arguments. Its errors become those of the native function. */
  int delegate(long l, String name, boolean positioned) {
    push(l, name);
    return call(l, positioned);
  }

  /**
   * Like {@link #delegate} for the function on top. An error {@code {plain = text}} is that text.
   */
  int call(long l, boolean positioned) {
    state.api.lua_insert(l, 1);
    int arguments = state.top(l) - 1;
    if (state.call(l, arguments, LuaState.MULTIPLE_RESULTS)) {
      return state.top(l);
    }
    if (state.type(l, -1) == LuaState.STRING) {
      throw named(state.text(l, -1), positioned);
    }
    if (state.type(l, -1) == LuaState.TABLE) {
      String plain = state.field(l, "plain");
      if (plain != null) {
        throw LuaRaise.plain(plain);
      }
    }
    throw LuaRaise.onTop();
  }

  /** Adds the name and position of the script's call to an error of a function called from here. */
  static LuaRaise named(String message, boolean positioned) {
    String text = OWN_PLACE.matcher(message).replaceFirst("");
    Matcher argument = BAD_ARGUMENT.matcher(text);
    if (argument.matches()) {
      return LuaRaise.argument(Integer.parseInt(argument.group(1)), argument.group(2));
    }
    return positioned ? LuaRaise.positioned(text) : LuaRaise.plain(text);
  }
}
