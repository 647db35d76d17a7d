// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongToIntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The globals of scripts, and replacements for functions of Lua's base library. */
final class LuaSandbox {

  private static final byte BYTECODE_MARK = 0x1b;

  /** The index of a running native function's environment. */
  private static final int ENVIRONMENT = -10_001;

  /** The libraries written in Lua, each in a file beside this class. */
  private static final List<String> LUA_LIBRARIES = List.of("cjson", "cmsgpack", "struct");

  /** Returns the name by which a native function was called, with ":" before that of a method. */
  private static final String CALLER_NAME =
      "local getinfo = debug.getinfo return function() local i = getinfo(2, 'n')"
          + " return i and i.name and (i.namewhat == 'method' and ':' or '') .. i.name end";

  private final LuaState state;
  private final int callerNameRef;
  private final Supplier<@Nullable String> reasonToEnd;
  private final PatternFunctions patterns;
  private final NativeFunction exposed;

  /** The functions of sandbox.lua. */
  final LuaFunctions internal;

  /** The table that is the environment of scripts. */
  int globalsSeen;

  /** The writable table behind the environment. */
  int globals;

  private int protectedCalls;

  /**
   * Creates a sandbox.
   *
   * @param reasonToEnd returns why the running code must end, or null
   */
  LuaSandbox(LuaState state, Supplier<@Nullable String> reasonToEnd) {
    this.state = state;
    this.reasonToEnd = reasonToEnd;
    this.internal = new LuaFunctions(state);
    this.patterns = new PatternFunctions(state, internal, this::poll);
    for (String name : List.of("table", "string", "math", "debug")) {
      state.api.luaJ_openlib(state.main, name);
    }
    state.api.luaL_loadstring(state.main, CALLER_NAME);
    state.api.lua_pcall(state.main, 0, 1, 0);
    callerNameRef = state.ref(state.main);
    exposed = function(this::callExposed);
  }

  private NativeFunction function(LongToIntFunction body) {
    return new NativeFunction(state, callerNameRef, body);
  }

  /** Stores a native function in the table on top of the main stack. */
  void define(String name, LongToIntFunction body) {
    state.pushFunction(state.main, function(body));
    state.rawSet(state.main, -2, name);
  }

  /** Pops a table of libraries by name, and builds the globals. */
  void build(int instructionsPerPoll) {
    long l = state.main;
    int libraries = state.top(l);
    load(l, "support");
    pushNatives(l);
    finish(l, 1, 1);
    for (String name : LUA_LIBRARIES) {
      load(l, name);
      state.api.lua_pushvalue(l, libraries + 1);
      finish(l, 1, 1);
      state.rawSet(l, libraries, name);
    }
    load(l, "sandbox");
    state.api.lua_pushvalue(l, libraries + 1);
    state.api.lua_pushvalue(l, libraries);
    state.api.lua_pushnumber(l, instructionsPerPoll);
    finish(l, 3, 3);
    internal.take(l, "create", "wrap", "pollEachLine", "pollSeldom", "gather");
    internal.take(l, "handler", "sweep", "passed", "beginLoading", "endLoading");
    internal.take(l, "loadstring", "gsub", "find", "match", "gmatch");
    state.pop(l, 1);
    globals = state.ref(l);
    globalsSeen = state.ref(l);
    state.api.lua_settop(l, libraries - 1);
  }

  /** Pushes the compiled file beside this class; {@link #finish} runs it. */
  private void load(long l, String name) {
    try (InputStream in = LuaSandbox.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException(name + ".lua is missing beside " + LuaSandbox.class);
      }
      if (!state.load(l, in.readAllBytes(), 0, "=" + name)) {
        throw new IllegalStateException(state.text(l, -1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void finish(long l, int arguments, int results) {
    if (!state.call(l, arguments, results)) {
      throw new IllegalStateException(state.text(l, -1));
    }
  }

  private void pushNatives(long l) {
    state.api.lua_createtable(l, 0, 32);
    define("poll", this::poll);
    define("create", co -> coroutine(co, "create"));
    define("wrap", co -> coroutine(co, "wrap"));
    define("load", this::load);
    define("loadstring", this::loadString);
    define("pcall", this::protectedCall);
    define("expose", this::expose);
    define("float_bytes", this::floatBytes);
    define("float", this::floatOf);
    define("band", this::bitAnd);
    state.api.lua_pushlightuserdata(l, 0);
    state.rawSet(l, -2, "null");
    define("gsub", patterns::substitute);
    define("find", co -> patterns.match(co, "find", PatternSteps.Search.FIRST));
    define("match", co -> patterns.match(co, "match", PatternSteps.Search.FIRST));
    define("gmatch", co -> patterns.match(co, "gmatch", PatternSteps.Search.ALL));
  }

  /**
   * Wraps a function written in Lua so that scripts see a native one. Its environment, which
   * scripts cannot reach, holds the function, and whether its errors omit the position of the call.
   */
  private int expose(long l) {
    state.api.lua_settop(l, 2);
    state.pushFunction(l, exposed);
    state.api.lua_createtable(l, 2, 0);
    state.api.lua_pushvalue(l, 1);
    state.api.lua_rawseti(l, -2, 1);
    state.api.lua_pushboolean(l, state.api.lua_toboolean(l, 2));
    state.api.lua_rawseti(l, -2, 2);
    state.api.lua_setfenv(l, -2);
    return 1;
  }

  private int callExposed(long l) {
    state.api.lua_rawgeti(l, ENVIRONMENT, 2);
    boolean plain = state.api.lua_toboolean(l, -1) != 0;
    state.pop(l, 1);
    state.api.lua_rawgeti(l, ENVIRONMENT, 1);
    return internal.call(l, !plain);
  }

  /** Converts a number to 4 or 8 bytes, big-endian. */
  private int floatBytes(long l) {
    double number = state.number(l, 1);
    ByteBuffer bytes = ByteBuffer.allocate((int) state.number(l, 2));
    boolean single = bytes.capacity() == Float.BYTES;
    state.push(l, (single ? bytes.putFloat((float) number) : bytes.putDouble(number)).array());
    return 1;
  }

  /** The inverse of {@link #floatBytes}. */
  private int floatOf(long l) {
    ByteBuffer bytes = ByteBuffer.wrap(state.string(l, 1));
    boolean single = bytes.capacity() == Float.BYTES;
    state.api.lua_pushnumber(l, single ? bytes.getFloat() : bytes.getDouble());
    return 1;
  }

  private int bitAnd(long l) {
    state.api.lua_pushnumber(
        l,
        (double) (LuaState.truncated(state.number(l, 1)) & LuaState.truncated(state.number(l, 2))));
    return 1;
  }

  private int poll(long l) {
    String reason = reasonToEnd.get();
    if (reason == null) {
      return 0;
    }
    internal.run(l, "pollEachLine");
    throw LuaRaise.redis(reason);
  }

  private int coroutine(long l, String how) {
    state.traces = true;
    if (state.type(l, 1) != LuaState.FUNCTION || state.api.lua_iscfunction(l, 1) != 0) {
      throw LuaRaise.argument(1, "Lua function expected");
    }
    return internal.delegate(l, how, false);
  }

  private int load(long l) {
    if (state.type(l, 1) != LuaState.FUNCTION) {
      throw state.typeError(l, 1, "function");
    }
    state.api.lua_settop(l, 2);
    internal.push(l, "gather");
    state.api.lua_pushvalue(l, 1);
    boolean gathered = state.call(l, 1, 1);
    if (gathered && state.type(l, -1) == LuaState.NIL) {
      state.push(l, state.where(l) + "reader function must return a string");
      gathered = false;
    }
    if (!gathered) {
      explainReaderError(l);
      state.api.lua_pushnil(l);
      state.api.lua_insert(l, -2);
      return 2;
    }
    state.api.lua_replace(l, 1);
    if (state.type(l, 2) == LuaState.NIL) {
      state.pushAscii(l, "=(load)");
      state.api.lua_replace(l, 2);
    }
    return loadString(l);
  }

  /** Passes errors of load's reader through the script's error handler if that is the innermost. */
  private void explainReaderError(long l) {
    if (l == state.main && protectedCalls == 0) {
      internal.push(l, "handler");
      state.api.lua_insert(l, -2);
      state.call(l, 1, 1);
    }
  }

  private int loadString(long l) {
    if (!state.isString(l, 1)) {
      throw state.typeError(l, 1, "string");
    }
    if (state.type(l, 2) <= LuaState.NIL) {
      state.api.lua_settop(l, 1);
      state.api.lua_pushvalue(l, 1);
    }
    anchorChunkName(l);
    byte[] source = state.bytes(l, 1);
    if (source.length > 0 && source[0] == BYTECODE_MARK) {
      byte[] text = new byte[source.length + 1];
      text[0] = ' ';
      System.arraycopy(source, 0, text, 1, source.length);
      state.push(l, text);
      state.api.lua_replace(l, 1);
    }
    boolean concerned = VarargCheck.concerns(source, 0);
    int results = internal.delegate(l, "loadstring", true);
    if (results == 1 && concerned && !state.isSafeToCall(l)) {
      state.api.lua_pushnil(l);
      state.api.lua_insert(l, -2);
      return 2;
    }
    if (results == 1) {
      state.pushRef(l, globalsSeen);
      state.api.lua_setfenv(l, -2);
    }
    return results;
  }

  /**
   * Keeps the chunk's name on the stack. The compiler does not protect it from the garbage
   * collector, and it reads the name only up to a NUL, which makes it another string.
   */
  private void anchorChunkName(long l) {
    if (state.isString(l, 2)) {
      String name = state.text(l, 2);
      if (name.indexOf('\0') >= 0) {
        state.push(l, Bytes.untilNul(name));
        state.api.lua_replace(l, 2);
      }
    }
  }

  /** Lua's pcall, except that the error table of a command is returned as its text. */
  private int protectedCall(long l) {
    if (state.top(l) == 0) {
      state.api.lua_pushboolean(l, 0);
      state.pushAscii(l, "attempt to call a boolean value");
      return 2;
    }
    int count = state.top(l) - 1;
    state.api.lua_pushboolean(l, 1);
    state.api.lua_insert(l, 1);
    protectedCalls++;
    boolean succeeded = state.call(l, count, LuaState.MULTIPLE_RESULTS);
    protectedCalls--;
    if (!succeeded) {
      if (state.type(l, -1) == LuaState.TABLE) {
        state.rawGet(l, -1, "err");
        if (state.isString(l, -1)) {
          state.api.lua_replace(l, -2);
        }
        // A field of another type stays as a third result, as in Redis.
      }
      state.api.lua_pushboolean(l, 0);
      state.api.lua_replace(l, 1);
    }
    return state.top(l);
  }
}
