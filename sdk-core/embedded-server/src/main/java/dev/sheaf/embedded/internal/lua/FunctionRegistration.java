// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code redis.register_function}, and the functions registered while a library loads. */
final class FunctionRegistration {
  private final LuaState state;
  private @Nullable List<LuaFunction> loading;

  FunctionRegistration(LuaState state) {
    this.state = state;
  }

  /** Starts a registration; functions are added to the returned list until {@link #end}. */
  List<LuaFunction> begin() {
    loading = new ArrayList<>();
    return loading;
  }

  void end() {
    loading = null;
  }

  /** The native function that scripts call. */
  int register(long l) {
    List<LuaFunction> list = loading;
    if (list == null) {
      throw LuaRaise.redis("redis.register_function can only be called on FUNCTION LOAD command");
    }
    int count = state.top(l);
    LuaRaise.redisIf(
        count < 1 || count > 2, "wrong number of arguments to redis.register_function");
    LuaFunction added = count == 1 ? named(l) : positional(l);
    LuaRaise.redisIf(!LuaFunction.isName(added.name()), LuaFunction.NAME_RULE);
    LuaRaise.redisIf(
        list.stream().anyMatch(known -> known.name().equals(added.name())),
        "Function already exists in the library");
    list.add(added);
    return 0;
  }

  private LuaFunction positional(long l) {
    LuaRaise.redisIf(
        !state.isString(l, 1), "first argument to redis.register_function must be a string");
    LuaRaise.redisIf(
        state.type(l, 2) != LuaState.FUNCTION,
        "second argument to redis.register_function must be a function");
    String name = state.text(l, 1);
    return new LuaFunction(name, new byte[0], Set.of(), state.ref(l));
  }

  private LuaFunction named(long l) {
    LuaRaise.redisIf(
        state.type(l, 1) != LuaState.TABLE,
        "calling redis.register_function with a single argument is only applicable to Lua table"
            + " (representing named arguments).");
    String name = null;
    String description = "";
    Set<String> flags = Set.of();
    // The slot of the callback.
    state.api.lua_settop(l, 2);
    state.api.lua_pushnil(l);
    while (state.api.lua_next(l, 1) != 0) {
      LuaRaise.redisIf(
          !state.isString(l, -2),
          "named argument key given to redis.register_function is not a string");
      // Reading a number as text would convert it in place and confuse lua_next.
      String key = state.type(l, -2) == LuaState.STRING ? state.text(l, -2) : "";
      switch (key) {
        case "function_name" -> name = text(l, key);
        case "description" -> description = text(l, key);
        case "flags" -> flags = flags(l);
        case "callback" -> {
          LuaRaise.redisIf(
              state.type(l, -1) != LuaState.FUNCTION,
              "callback argument given to redis.register_function must be a function");
          state.api.lua_pushvalue(l, -1);
          state.api.lua_replace(l, 2);
        }
        default -> throw LuaRaise.redis("unknown argument given to redis.register_function");
      }
      state.pop(l, 1);
    }
    if (name == null) {
      throw LuaRaise.redis("redis.register_function must get a function name argument");
    }
    LuaRaise.redisIf(
        state.type(l, 2) == LuaState.NIL, "redis.register_function must get a callback argument");
    return new LuaFunction(name, Bytes.latin(description), flags, state.ref(l));
  }

  private String text(long l, String key) {
    LuaRaise.redisIf(
        !state.isString(l, -1),
        "%s argument given to redis.register_function must be a string",
        key);
    return state.text(l, -1);
  }

  private Set<String> flags(long l) {
    LuaRaise.redisIf(
        state.type(l, -1) != LuaState.TABLE,
        "flags argument to redis.register_function must be a table representing function flags");
    Set<String> flags = new LinkedHashSet<>();
    for (int i = 1; ; i++) {
      state.api.lua_rawgeti(l, -1, i);
      int type = state.type(l, -1);
      String flag = type == LuaState.STRING ? state.text(l, -1) : "";
      state.pop(l, 1);
      if (type == LuaState.NIL) {
        return flags;
      }
      LuaRaise.redisIf(!ScriptHeader.isFlag(flag), "unknown flag given");
      flags.add(flag);
    }
  }
}
