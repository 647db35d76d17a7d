// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** redis.register_function, and what it has registered while a library loads. */
final class FunctionRegistration {
  private static final String NAME_RULE =
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one"
          + " character long";

  private final LuaState state;
  private @Nullable List<LuaFunction> loading;

  FunctionRegistration(LuaState state) {
    this.state = state;
  }

  static boolean isName(String name) {
    return name.matches("[A-Za-z0-9_]+");
  }

  void begin() {
    loading = new ArrayList<>();
  }

  /** What has been registered since {@link #begin}. */
  List<LuaFunction> end() {
    List<LuaFunction> registered = Objects.requireNonNull(loading);
    loading = null;
    return registered;
  }

  /** The function scripts call. */
  int register(long l) {
    List<LuaFunction> list = loading;
    if (list == null) {
      throw LuaRaise.redis("redis.register_function can only be called on FUNCTION LOAD command");
    }
    int count = state.top(l);
    LuaRaise.redisIf(
        count < 1 || count > 2, "wrong number of arguments to redis.register_function");
    LuaFunction added = count == 1 ? named(l) : positional(l);
    LuaRaise.redisIf(!isName(added.name()), NAME_RULE);
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
    checkKeys(l);
    String name = string(l, "function_name", "function_name argument given to");
    String description = string(l, "description", "description argument given to");
    Set<String> flags = flags(l);
    state.rawGet(l, 1, "callback");
    LuaRaise.redisIf(
        state.type(l, -1) != LuaState.NIL && state.type(l, -1) != LuaState.FUNCTION,
        "callback argument given to redis.register_function must be a function");
    if (name == null) {
      throw LuaRaise.redis("redis.register_function must get a function name argument");
    }
    LuaRaise.redisIf(
        state.type(l, -1) == LuaState.NIL, "redis.register_function must get a callback argument");
    byte[] text =
        description == null
            ? new byte[0]
            : description.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    return new LuaFunction(name, text, flags, state.ref(l));
  }

  private void checkKeys(long l) {
    state.api.lua_pushnil(l);
    while (state.api.lua_next(l, 1) != 0) {
      state.pop(l, 1);
      LuaRaise.redisIf(
          state.type(l, -1) == LuaState.NUMBER,
          "unknown argument given to redis.register_function");
      LuaRaise.redisIf(
          state.type(l, -1) != LuaState.STRING,
          "named argument key given to redis.register_function is not a string");
      switch (state.text(l, -1)) {
        case "function_name", "description", "callback", "flags" -> {
          // known
        }
        default -> throw LuaRaise.redis("unknown argument given to redis.register_function");
      }
    }
  }

  private @Nullable String string(long l, String key, String what) {
    state.rawGet(l, 1, key);
    int type = state.type(l, -1);
    LuaRaise.redisIf(
        type != LuaState.NIL && !state.isString(l, -1),
        "%s redis.register_function must be a string",
        what);
    String text = type == LuaState.NIL ? null : state.text(l, -1);
    state.pop(l, 1);
    return text;
  }

  private Set<String> flags(long l) {
    Set<String> flags = new LinkedHashSet<>();
    state.rawGet(l, 1, "flags");
    int type = state.type(l, -1);
    if (type == LuaState.NIL) {
      state.pop(l, 1);
      return flags;
    }
    LuaRaise.redisIf(
        type != LuaState.TABLE,
        "flags argument to redis.register_function must be a table representing function flags");
    for (int i = 1; ; i++) {
      state.api.lua_rawgeti(l, -1, i);
      if (state.type(l, -1) == LuaState.NIL) {
        state.pop(l, 2);
        return flags;
      }
      String flag = state.type(l, -1) == LuaState.STRING ? state.text(l, -1) : "";
      LuaRaise.redisIf(!ScriptHeader.isFlag(flag), "unknown flag given");
      flags.add(flag);
      state.pop(l, 1);
    }
  }
}
