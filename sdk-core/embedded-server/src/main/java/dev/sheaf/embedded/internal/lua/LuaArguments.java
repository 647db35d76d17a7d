// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/** Checks of a native function's arguments, with the errors of Lua's auxiliary library. */
record LuaArguments(LuaState state) {

  static void check(boolean condition, int argument, String otherwise) {
    if (!condition) {
      throw LuaRaise.argument(argument, otherwise);
    }
  }

  LuaRaise typeError(long l, int argument, String expected) {
    return LuaRaise.argument(
        argument, expected + " expected, got " + state.api.luaL_typename(l, argument));
  }

  double number(long l, int argument) {
    if (!state.isNumber(l, argument)) {
      throw typeError(l, argument, "number");
    }
    return state.api.lua_tonumber(l, argument);
  }

  /** A number cut to 64 bits. */
  long wide(long l, int argument) {
    return LuaNumbers.truncated(number(l, argument));
  }

  /** A number cut to 32 bits. */
  int integer(long l, int argument) {
    return (int) wide(l, argument);
  }

  /** A string, or a number as Lua writes it. */
  byte[] string(long l, int argument) {
    if (!state.isString(l, argument)) {
      throw typeError(l, argument, "string");
    }
    return state.bytes(l, argument);
  }
}
