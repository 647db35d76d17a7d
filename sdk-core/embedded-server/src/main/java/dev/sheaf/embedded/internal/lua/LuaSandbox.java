// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The globals scripts see, and the functions of Lua's base library that must respect them. */
final class LuaSandbox {

  private static final String READ_ONLY = "Attempt to modify a readonly table";
  private static final byte BYTECODE_MARK = 0x1b;

  /** Tells how its caller called the native function that asks: its name, a method's after ":". */
  private static final String CALLER_NAME =
      "local getinfo = debug.getinfo return function() local i = getinfo(2, 'n')"
          + " return i and i.name and (i.namewhat == 'method' and ':' or '') .. i.name end";

  private final LuaState state;
  private final Coroutines coroutines;
  private final LuaArguments arguments;
  private final LuaRandom random = new LuaRandom();
  private final int callerNameRef;
  private final Poll poll;
  private final PatternFunctions patterns;
  private final LuaFunctions real;

  /** Those of sandbox.lua. */
  final LuaFunctions internal;

  private int nativeRef;
  private int globalsSeenRef;
  private int globalsRef;
  private int behindRef;
  private int metatablesRef;
  private int protectedCalls;
  private boolean traces;

  /** Whether the running script is to be ended. */
  interface Poll {
    @Nullable String reasonToEnd();
  }

  LuaSandbox(LuaState state, Coroutines coroutines, Poll poll) {
    this.state = state;
    this.coroutines = coroutines;
    this.poll = poll;
    this.arguments = new LuaArguments(state);
    this.real = new LuaFunctions(state);
    this.internal = new LuaFunctions(state);
    this.patterns = new PatternFunctions(state, real, internal, this::poll);
    state.openLibrary("table");
    state.openLibrary("string");
    state.openLibrary("math");
    state.openLibrary("debug");
    state.api.luaL_loadstring(state.main, CALLER_NAME);
    state.api.lua_pcall(state.main, 0, 1, 0);
    callerNameRef = state.ref(state.main);
  }

  NativeFunction function(NativeFunction.Body body) {
    return new NativeFunction(state, coroutines, callerNameRef, body);
  }

  /** Stores a native function in the table on top of the main stack. */
  void define(String name, NativeFunction.Body body) {
    define(state.main, name, body);
  }

  /** Stores a native function in the table on top. */
  void define(long l, String name, NativeFunction.Body body) {
    state.pushFunction(l, function(body));
    state.rawSet(l, -2, name);
  }

  /** Pops a table of libraries, by name, and builds the globals. */
  void build(int instructionsPerPoll) {
    long l = state.main;
    int libraries = state.top(l);
    defineNatives(l);
    if (!state.load(l, source(), 0, "=sandbox")) {
      throw new IllegalStateException("sandbox: " + state.text(l, -1));
    }
    state.pushRef(l, nativeRef);
    state.api.lua_pushvalue(l, libraries);
    state.api.lua_pushnumber(l, instructionsPerPoll);
    if (!state.call(l, 3, 5)) {
      throw new IllegalStateException("sandbox: " + state.text(l, -1));
    }
    internal.take(l, "create", "wrap", "pollEachLine", "pollSeldom", "gather");
    internal.take(l, "handler", "sweep", "passed", "beginLoading", "endLoading");
    state.rawGet(l, -1, "real");
    real.take(l, "getmetatable", "loadstring", "next", "rawget", "rawset");
    real.take(l, "setmetatable", "collectgarbage", "gsub");
    real.take(l, "find", "match", "gmatch", "unpack", "rep");
    state.pop(l, 2);
    metatablesRef = state.ref(l);
    behindRef = state.ref(l);
    globalsRef = state.ref(l);
    globalsSeenRef = state.ref(l);
    state.api.lua_settop(l, libraries - 1);
    state.unref(nativeRef);
  }

  /** Pushes the table that is the environment of scripts. */
  void pushGlobalsSeen(long l) {
    state.pushRef(l, globalsSeenRef);
  }

  /** Pushes the table behind the environment, which can be written. */
  void pushGlobals(long l) {
    state.pushRef(l, globalsRef);
  }

  private static byte[] source() {
    try (InputStream in = LuaSandbox.class.getResourceAsStream("sandbox.lua")) {
      if (in == null) {
        throw new IllegalStateException("sandbox.lua is missing beside " + LuaSandbox.class);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void defineNatives(long l) {
    state.api.lua_createtable(l, 0, 24);
    define("readonly", this::readOnly);
    define("nonexistent", this::nonexistent);
    define("poll", this::poll);
    define("create", co -> coroutine(co, "create"));
    define("wrap", co -> coroutine(co, "wrap"));
    define("random", this::random);
    define("randomseed", this::randomSeed);
    define("collectgarbage", this::collectGarbage);
    define("getmetatable", this::getMetatable);
    define("setmetatable", this::setMetatable);
    define("load", this::load);
    define("loadstring", this::loadString);
    define("next", this::next);
    define("pairs", this::pairs);
    define("pcall", this::protectedCall);
    define("rawget", this::rawGet);
    define("rawset", this::rawSet);
    define("unpack", this::unpack);
    define("rep", this::repeat);
    define("gsub", patterns::substitute);
    define("find", co -> patterns.match(co, "find", PatternSteps.Search.FIRST));
    define("match", co -> patterns.match(co, "match", PatternSteps.Search.FIRST));
    define("gmatch", co -> patterns.match(co, "gmatch", PatternSteps.Search.ALL));
    nativeRef = state.ref(l);
  }

  private int readOnly(long l) {
    throw LuaRaise.positioned(READ_ONLY);
  }

  private int nonexistent(long l) {
    LuaRaise.positionedIf(state.top(l) != 2, "Wrong number of arguments to luaProtectedTableError");
    LuaRaise.positionedIf(
        !state.isString(l, 2),
        "Second argument to luaProtectedTableError must be a string or number");
    throw LuaRaise.positioned(
        "Script attempted to access nonexistent global variable '"
            + Bytes.untilNul(state.text(l, 2))
            + "'");
  }

  private int poll(long l) {
    String reason = poll.reasonToEnd();
    if (reason == null) {
      return 0;
    }
    internal.run(l, "pollEachLine");
    throw LuaRaise.redis(reason);
  }

  /** Whether natives ran since the last question that leave something to sweep. */
  boolean takeTraces() {
    boolean left = traces || patterns.substituted;
    traces = false;
    patterns.substituted = false;
    return left;
  }

  private int coroutine(long l, String how) {
    traces = true;
    if (state.type(l, 1) != LuaState.FUNCTION || state.api.lua_iscfunction(l, 1) != 0) {
      throw LuaRaise.argument(1, "Lua function expected");
    }
    internal.push(l, how);
    state.api.lua_pushvalue(l, 1);
    if (!state.call(l, 1, 1)) {
      throw LuaRaise.onTop();
    }
    return 1;
  }

  private int random(long l) {
    double r = random.next();
    switch (state.top(l)) {
      case 0 -> state.api.lua_pushnumber(l, r);
      case 1 -> {
        int upper = arguments.integer(l, 1);
        LuaArguments.check(1 <= upper, 1, "interval is empty");
        state.api.lua_pushnumber(l, Math.floor(r * upper) + 1);
      }
      case 2 -> {
        int lower = arguments.integer(l, 1);
        int upper = arguments.integer(l, 2);
        LuaArguments.check(lower <= upper, 2, "interval is empty");
        state.api.lua_pushnumber(l, Math.floor(r * (upper - lower + 1)) + lower);
      }
      default -> throw LuaRaise.positioned("wrong number of arguments");
    }
    return 1;
  }

  private int randomSeed(long l) {
    random.seed(arguments.integer(l, 1));
    return 0;
  }

  /** Steers only what ends with the script: a collector stopped for good would fill the memory. */
  private int collectGarbage(long l) {
    if (state.type(l, 1) == LuaState.STRING) {
      String option = state.text(l, 1);
      if (option.equals("stop")
          || option.equals("restart")
          || option.equals("setpause")
          || option.equals("setstepmul")) {
        state.api.lua_pushnumber(l, 0);
        return 1;
      }
    }
    return real.delegate(l, "collectgarbage", true);
  }

  private int getMetatable(long l) {
    if (state.top(l) == 0) {
      throw LuaRaise.argument(1, "value expected");
    }
    int type = state.type(l, 1);
    if (type == LuaState.STRING || (type == LuaState.TABLE && pushBehind(l, 1))) {
      state.pushRef(l, metatablesRef);
      if (type == LuaState.STRING) {
        state.pushAscii(l, "");
      } else {
        state.api.lua_pushvalue(l, 1);
      }
      state.api.lua_rawget(l, -2);
      return 1;
    }
    return real.delegate(l, "getmetatable", true);
  }

  private int setMetatable(long l) {
    int second = state.type(l, 2);
    if (state.type(l, 1) == LuaState.TABLE
        && (second == LuaState.NIL || second == LuaState.TABLE)
        && pushBehind(l, 1)) {
      throw LuaRaise.plain(READ_ONLY);
    }
    return real.delegate(l, "setmetatable", true);
  }

  private int load(long l) {
    if (state.type(l, 1) != LuaState.FUNCTION) {
      throw arguments.typeError(l, 1, "function");
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

  /** Lua's load has errors of its reader pass the handler of the script, if that is the next. */
  private void explainReaderError(long l) {
    if (l == state.main && protectedCalls == 0) {
      internal.push(l, "handler");
      state.api.lua_insert(l, -2);
      state.call(l, 1, 1);
    }
  }

  private int loadString(long l) {
    if (!state.isString(l, 1)) {
      throw arguments.typeError(l, 1, "string");
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
    int results = real.delegate(l, "loadstring", true);
    if (results == 1 && concerned && !state.isSafeToCall(l)) {
      state.api.lua_pushnil(l);
      state.api.lua_insert(l, -2);
      return 2;
    }
    if (results == 1) {
      pushGlobalsSeen(l);
      state.api.lua_setfenv(l, -2);
    }
    return results;
  }

  /**
   * The compiler does not protect a chunk's name from the collector. It reads the name up to a NUL,
   * so only without one is it the very string that the caller's stack holds.
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

  private int next(long l) {
    if (state.type(l, 1) == LuaState.TABLE && pushBehind(l, 1)) {
      state.api.lua_replace(l, 1);
    }
    return real.delegate(l, "next", false);
  }

  private int pairs(long l) {
    if (state.type(l, 1) != LuaState.TABLE) {
      throw arguments.typeError(l, 1, "table");
    }
    if (pushBehind(l, 1)) {
      pushGlobals(l);
      state.rawGet(l, -1, "next");
    } else {
      real.push(l, "next");
    }
    state.api.lua_pushvalue(l, 1);
    state.api.lua_pushnil(l);
    return 3;
  }

  /** Like Lua's, but an error table of a command comes as its text. */
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
        // Any other field stays, as it does in a server: it is a third result.
      }
      state.api.lua_pushboolean(l, 0);
      state.api.lua_replace(l, 1);
    }
    return state.top(l);
  }

  /** Lua's own counts the values in 32 bits, and writes behind its stack where that overflows. */
  private int unpack(long l) {
    if (state.type(l, 1) == LuaState.TABLE) {
      long first = state.type(l, 2) <= LuaState.NIL ? 1 : arguments.integer(l, 2);
      boolean toEnd = state.type(l, 3) <= LuaState.NIL;
      long last = toEnd ? state.api.lua_objlen(l, 1) : arguments.integer(l, 3);
      LuaRaise.positionedIf(last - first >= Integer.MAX_VALUE, "too many results to unpack");
    }
    return real.delegate(l, "unpack", true);
  }

  /** Bounds the text by what a reply may hold: the next thing a script does is to copy it. */
  private int repeat(long l) {
    if (state.isString(l, 1) && state.isNumber(l, 2)) {
      double bytes = (double) state.api.lua_objlen(l, 1) * arguments.integer(l, 2);
      LuaRaise.positionedIf(
          bytes > LuaState.MAX_STRING_BYTES,
          "resulting string too large (at most %s bytes)",
          LuaState.MAX_STRING_BYTES);
      if (bytes == 0) {
        // Lua's own would count to the end, doing nothing two thousand million times.
        state.api.lua_pushstring(l, "");
        return 1;
      }
    }
    return real.delegate(l, "rep", true);
  }

  private int rawGet(long l) {
    if (state.type(l, 1) == LuaState.TABLE && pushBehind(l, 1)) {
      state.api.lua_replace(l, 1);
    }
    return real.delegate(l, "rawget", true);
  }

  private int rawSet(long l) {
    if (state.type(l, 1) == LuaState.TABLE && state.top(l) >= 3 && pushBehind(l, 1)) {
      throw LuaRaise.plain(READ_ONLY);
    }
    return real.delegate(l, "rawset", false);
  }

  /** Pushes the real table behind a protected one; pushes nothing for any other table. */
  private boolean pushBehind(long l, int index) {
    state.pushRef(l, behindRef);
    state.api.lua_pushvalue(l, index);
    state.api.lua_rawget(l, -2);
    state.api.lua_remove(l, -2);
    if (state.type(l, -1) == LuaState.TABLE) {
      return true;
    }
    state.pop(l, 1);
    return false;
  }
}
