// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The redis table. */
final class RedisLibrary {

  private static final int LOWEST_LOG_LEVEL = 0;
  private static final int HIGHEST_LOG_LEVEL = 3;
  private static final int REPLICATE_ALL = 3;

  private final Edition edition;
  private final LuaState state;

  /** What the running script reaches. */
  LuaHost host;

  private final ReplyWriter writer;
  private final CommandNames names;

  private boolean readOnly;
  private int respVersion = 2;
  private @Nullable Throwable failure;

  RedisLibrary(LuaState state, LuaHost host, ReplyWriter writer, Edition edition) {
    this.edition = edition;
    this.state = state;
    this.host = host;
    this.writer = writer;
    this.names = new CommandNames(state);
  }

  void begin(boolean readOnlyScript) {
    readOnly = readOnlyScript;
    respVersion = 2;
    failure = null;
  }

  int respVersion() {
    return respVersion;
  }

  /** Throws what a host threw while the script ran. */
  void rethrowFailure() {
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  /** Pushes the table onto the main stack. */
  void pushTable(LuaSandbox sandbox) {
    state.api.lua_createtable(state.main, 0, 32);
    sandbox.define("call", l -> command(l, true));
    sandbox.define("pcall", l -> command(l, false));
    sandbox.define("log", this::log);
    sandbox.define("setresp", this::setResp);
    sandbox.define("sha1hex", this::sha1Hex);
    sandbox.define("error_reply", this::errorReply);
    sandbox.define("status_reply", this::statusReply);
    sandbox.define("set_repl", this::setReplication);
    sandbox.define("acl_check_cmd", this::aclCheck);
    sandbox.define("breakpoint", l -> bool(l, false));
    sandbox.define("debug", l -> 0);
    sandbox.define("replicate_commands", l -> bool(l, true));
    number("LOG_DEBUG", 0);
    number("LOG_VERBOSE", 1);
    number("LOG_NOTICE", 2);
    number("LOG_WARNING", 3);
    number("REPL_NONE", 0);
    number("REPL_AOF", 1);
    number("REPL_SLAVE", 2);
    number("REPL_REPLICA", 2);
    number("REPL_ALL", REPLICATE_ALL);
    versions();
  }

  /** Pushes the table a library of functions sees while it loads. */
  void pushLoadingTable(LuaSandbox sandbox, FunctionRegistration functions) {
    state.api.lua_createtable(state.main, 0, 8);
    sandbox.define("register_function", functions::register);
    sandbox.define("log", this::log);
    number("LOG_DEBUG", 0);
    number("LOG_VERBOSE", 1);
    number("LOG_NOTICE", 2);
    number("LOG_WARNING", 3);
    versions();
  }

  private void versions() {
    text("REDIS_VERSION", edition.redisVersion());
    number("REDIS_VERSION_NUM", Edition.number(edition.redisVersion()));
    if (edition.isValkey()) {
      text("SERVER_NAME", edition.server);
      text("VALKEY_VERSION", edition.version);
      number("VALKEY_VERSION_NUM", Edition.number(edition.version));
    }
  }

  private void text(String name, String value) {
    state.pushAscii(state.main, value);
    state.rawSet(state.main, -2, name);
  }

  private void number(String name, int value) {
    state.api.lua_pushnumber(state.main, value);
    state.rawSet(state.main, -2, name);
  }

  private int bool(long l, boolean value) {
    state.api.lua_pushboolean(l, value ? 1 : 0);
    return 1;
  }

  private int command(long l, boolean raise) {
    byte[][] arguments;
    try {
      arguments = arguments(l);
    } catch (LuaRaise e) {
      if (raise) {
        throw e;
      }
      RedisErrors.push(state, l, e.text());
      return 1;
    }
    Object reply =
        guarded(
            () -> {
              Object result = host.call(arguments, readOnly);
              writer.push(l, result, respVersion);
              return result;
            });
    if (raise && reply instanceof LuaError) {
      throw LuaRaise.onTop();
    }
    return 1;
  }

  /** Takes all arguments off the stack. */
  private byte[][] arguments(long l) {
    int count = state.top(l);
    LuaRaise.redisIf(count == 0, "Please specify at least one argument for this redis lib call");
    byte[][] arguments = new byte[count][];
    byte[] name = names.find(l, 1);
    arguments[0] = name != null ? name : argument(l, 1);
    if (name == null && state.type(l, 1) == LuaState.STRING) {
      names.remember(l, 1, arguments[0]);
    }
    for (int i = 2; i <= count; i++) {
      arguments[i - 1] = argument(l, i);
    }
    state.api.lua_settop(l, 0);
    return arguments;
  }

  private byte[] argument(long l, int index) {
    int type = state.type(l, index);
    if (type == LuaState.STRING) {
      return state.bytes(l, index);
    }
    if (type == LuaState.NUMBER) {
      String text = Numbers.general(state.api.lua_tonumber(l, index), 17);
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }
    throw LuaRaise.redis("Lua redis lib command arguments must be strings or integers");
  }

  private interface HostCall {
    @Nullable Object call();
  }

  /** What the host throws is kept for the caller of the script, whatever the script catches. */
  private @Nullable Object guarded(HostCall call) {
    try {
      return call.call();
    } catch (LuaRaise e) {
      throw e;
    } catch (RuntimeException | Error e) {
      if (failure == null) {
        failure = e;
      }
      throw LuaRaise.redis("the host failed: " + e);
    }
  }

  private int log(long l) {
    int count = state.top(l);
    LuaRaise.redisIf(count < 2, "redis.log() requires two arguments or more.");
    LuaRaise.redisIf(!state.isNumber(l, 1), "First argument must be a number (log level).");
    int level = LuaNumbers.truncatedToInt(state.api.lua_tonumber(l, 1));
    LuaRaise.redisIf(level < LOWEST_LOG_LEVEL || level > HIGHEST_LOG_LEVEL, "Invalid debug level.");
    StringBuilder message = new StringBuilder();
    for (int i = 2; i <= count; i++) {
      if (state.isString(l, i)) {
        message.append(i > 2 ? " " : "").append(state.text(l, i));
      }
    }
    byte[] bytes = message.toString().getBytes(StandardCharsets.ISO_8859_1);
    guarded(
        () -> {
          host.log(level, bytes);
          return null;
        });
    return 0;
  }

  private int setResp(long l) {
    LuaRaise.redisIf(state.top(l) != 1, "redis.setresp() requires one argument.");
    int version = LuaNumbers.truncatedToInt(state.api.lua_tonumber(l, 1));
    LuaRaise.redisIf(version != 2 && version != 3, "RESP version must be 2 or 3.");
    respVersion = version;
    guarded(
        () -> {
          host.respVersion(version);
          return null;
        });
    return 0;
  }

  private int sha1Hex(long l) {
    LuaRaise.redisIf(state.top(l) != 1, "wrong number of arguments");
    byte[] data = state.isString(l, 1) ? state.bytes(l, 1) : new byte[0];
    state.pushAscii(l, sha1(data));
    return 1;
  }

  static String sha1(byte[] data) {
    return Bytes.digest("SHA-1", data);
  }

  private int errorReply(long l) {
    if (!isOneString(l)) {
      RedisErrors.push(state, l, "wrong number or type of arguments");
      return 1;
    }
    String text = Bytes.untilNul(state.text(l, 1));
    RedisErrors.pushReply(state, l, text.startsWith("-") ? text.substring(1) : text);
    return 1;
  }

  private int statusReply(long l) {
    if (!isOneString(l)) {
      RedisErrors.push(state, l, "wrong number or type of arguments");
      return 1;
    }
    state.api.lua_createtable(l, 0, 1);
    state.api.lua_pushvalue(l, 1);
    state.rawSet(l, -2, "ok");
    return 1;
  }

  private boolean isOneString(long l) {
    return state.top(l) == 1 && state.type(l, 1) == LuaState.STRING;
  }

  private int setReplication(long l) {
    LuaRaise.redisIf(state.top(l) != 1, "redis.set_repl() requires two arguments.");
    int flags = LuaNumbers.truncatedToInt(state.api.lua_tonumber(l, 1));
    LuaRaise.redisIf(
        (flags & ~REPLICATE_ALL) != 0,
        "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
    return 0;
  }

  private int aclCheck(long l) {
    byte[][] command = arguments(l);
    Object allowed = guarded(() -> host.allowed(command));
    if (allowed == null) {
      throw LuaRaise.redis("Invalid command passed to redis.acl_check_cmd()");
    }
    return bool(l, Boolean.TRUE.equals(allowed));
  }
}
