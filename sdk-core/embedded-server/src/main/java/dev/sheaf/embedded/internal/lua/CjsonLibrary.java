// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;

/** The cjson table: JSON with lua-cjson 2.1's rules and settings. */
final class CjsonLibrary {

  private static final String[] ON_OFF = {"off", "on"};
  private static final String[] ON_OFF_NULL = {"off", "on", "null"};

  private final LuaState state;
  private final LuaSandbox sandbox;
  private final LuaArguments arguments;

  CjsonLibrary(LuaState state, LuaSandbox sandbox) {
    this.state = state;
    this.sandbox = sandbox;
    this.arguments = new LuaArguments(state);
  }

  /** Pushes a new table with settings of its own. */
  int pushTable(long l) {
    CjsonSettings settings = new CjsonSettings();
    state.reserve(l, 8);
    state.api.lua_createtable(l, 0, 16);
    sandbox.define(l, "encode", co -> encode(co, settings));
    sandbox.define(l, "decode", co -> decode(co, settings));
    sandbox.define(l, "encode_sparse_array", co -> sparseArray(co, settings));
    sandbox.define(l, "encode_max_depth", co -> encodeMaxDepth(co, settings));
    sandbox.define(l, "decode_max_depth", co -> decodeMaxDepth(co, settings));
    sandbox.define(l, "encode_number_precision", co -> precision(co, settings));
    sandbox.define(l, "encode_keep_buffer", co -> keepBuffer(co, settings));
    sandbox.define(l, "encode_invalid_numbers", co -> encodeInvalidNumbers(co, settings));
    sandbox.define(l, "decode_invalid_numbers", co -> decodeInvalidNumbers(co, settings));
    sandbox.define(l, "new", this::pushTable);
    state.api.lua_pushlightuserdata(l, 0);
    state.rawSet(l, -2, "null");
    state.pushAscii(l, "cjson");
    state.rawSet(l, -2, "_NAME");
    state.pushAscii(l, "2.1.0");
    state.rawSet(l, -2, "_VERSION");
    return 1;
  }

  private int encode(long l, CjsonSettings settings) {
    LuaArguments.check(state.top(l) == 1, 1, "expected 1 argument");
    JsonEncoder encoder = new JsonEncoder(state, settings);
    encoder.encode(l);
    state.push(l, encoder.result());
    return 1;
  }

  private int decode(long l, CjsonSettings settings) {
    LuaArguments.check(state.top(l) == 1, 1, "expected 1 argument");
    new JsonDecoder(state, settings, arguments.string(l, 1)).decode(l);
    return 1;
  }

  private int sparseArray(long l, CjsonSettings settings) {
    begin(l, 3);
    settings.sparseConvert = isOn(l, 1, settings.sparseConvert);
    settings.sparseRatio = number(l, 2, settings.sparseRatio, 0, Integer.MAX_VALUE);
    settings.sparseSafe = number(l, 3, settings.sparseSafe, 0, Integer.MAX_VALUE);
    return 3;
  }

  /** A function that takes one setting. */
  private int one(long l, Runnable setting) {
    begin(l, 1);
    setting.run();
    return 1;
  }

  private int encodeMaxDepth(long l, CjsonSettings s) {
    return one(l, () -> s.encodeMaxDepth = number(l, 1, s.encodeMaxDepth, 1, Integer.MAX_VALUE));
  }

  private int decodeMaxDepth(long l, CjsonSettings s) {
    return one(l, () -> s.decodeMaxDepth = number(l, 1, s.decodeMaxDepth, 1, Integer.MAX_VALUE));
  }

  private int precision(long l, CjsonSettings s) {
    return one(l, () -> s.precision = number(l, 1, s.precision, 1, CjsonSettings.MAX_PRECISION));
  }

  private int keepBuffer(long l, CjsonSettings s) {
    return one(l, () -> s.keepBuffer = isOn(l, 1, s.keepBuffer));
  }

  private int encodeInvalidNumbers(long l, CjsonSettings s) {
    return one(l, () -> s.encodeInvalidNumbers = choice(l, 1, s.encodeInvalidNumbers, ON_OFF_NULL));
  }

  private int decodeInvalidNumbers(long l, CjsonSettings s) {
    return one(l, () -> s.decodeInvalidNumbers = isOn(l, 1, s.decodeInvalidNumbers));
  }

  private boolean isOn(long l, int argument, boolean current) {
    return choice(l, argument, current ? 1 : 0, ON_OFF) != 0;
  }

  private void begin(long l, int most) {
    LuaArguments.check(state.top(l) <= most, most + 1, "found too many arguments");
    state.api.lua_settop(l, most);
  }

  /** Reads a setting if there is one, and pushes what holds now. */
  private int number(long l, int argument, int current, int min, int max) {
    int value = current;
    if (state.type(l, argument) != LuaState.NIL) {
      value = arguments.integer(l, argument);
      LuaArguments.check(
          min <= value && value <= max, 1, "expected integer between " + min + " and " + max);
    }
    state.api.lua_pushnumber(l, value);
    return value;
  }

  /** Reads a setting if there is one, and pushes what holds now: a boolean or the name. */
  private int choice(long l, int argument, int current, String[] options) {
    int value = current;
    if (state.type(l, argument) == LuaState.BOOLEAN) {
      value = state.api.lua_toboolean(l, argument);
    } else if (state.type(l, argument) != LuaState.NIL) {
      value = option(l, argument, options);
    }
    if (value <= 1) {
      state.api.lua_pushboolean(l, value);
    } else {
      state.pushAscii(l, options[value]);
    }
    return value;
  }

  private int option(long l, int argument, String[] options) {
    arguments.string(l, argument);
    String name = Bytes.untilNul(state.text(l, argument));
    for (int i = 0; i < options.length; i++) {
      if (options[i].equals(name)) {
        return i;
      }
    }
    throw LuaRaise.argument(argument, "invalid option '" + name + "'");
  }
}
