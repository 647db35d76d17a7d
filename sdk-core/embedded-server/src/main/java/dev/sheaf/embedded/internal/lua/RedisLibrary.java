// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The {@code redis} table of scripts: {@code redis.call} and its other functions. */
final class RedisLibrary {

  private static final int LOWEST_LOG_LEVEL = 0;
  private static final int HIGHEST_LOG_LEVEL = 3;
  private static final int REPLICATE_ALL = 3;

  private static final LuaHost NO_HOST =
      (command, respVersion) -> {
        throw new IllegalStateException("nothing runs a script");
      };

  private final Edition edition;
  private final LuaState state;

  private final LuaReplies replies;

  /** Serves the running script. */
  LuaHost host = NO_HOST;

  private int respVersion = 2;
  private @Nullable Throwable failure;

  RedisLibrary(LuaState state, LuaReplies replies, Edition edition) {
    this.edition = edition;
    this.state = state;
    this.replies = replies;
  }

  void begin(LuaHost hostOfScript) {
    host = hostOfScript;
    respVersion = 2;
    failure = null;
  }

  void end() {
    host = NO_HOST;
  }

  int respVersion() {
    return respVersion;
  }

  /** Rethrows an exception that the host threw while the script ran. */
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
    sandbox.define("setresp", this::setResp);
    sandbox.define("sha1hex", this::sha1Hex);
    sandbox.define("error_reply", this::errorReply);
    sandbox.define("status_reply", this::statusReply);
    sandbox.define("set_repl", this::setReplication);
    sandbox.define("acl_check_cmd", this::aclCheck);
    sandbox.define("breakpoint", l -> bool(l, false));
    sandbox.define("debug", l -> 0);
    sandbox.define("replicate_commands", l -> bool(l, true));
    number("REPL_NONE", 0);
    number("REPL_AOF", 1);
    number("REPL_SLAVE", 2);
    number("REPL_REPLICA", 2);
    number("REPL_ALL", REPLICATE_ALL);
    addCommon(sandbox);
  }

  /** Pushes the table that a function library sees while it loads. */
  void pushLoadingTable(LuaSandbox sandbox, FunctionRegistration functions) {
    state.api.lua_createtable(state.main, 0, 8);
    sandbox.define("register_function", functions::register);
    addCommon(sandbox);
  }

  private void addCommon(LuaSandbox sandbox) {
    sandbox.define("log", this::log);
    number("LOG_DEBUG", 0);
    number("LOG_VERBOSE", 1);
    number("LOG_NOTICE", 2);
    number("LOG_WARNING", 3);
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
    boolean failed =
        guarded(
            () -> {
              RecordedReply reply = host.call(arguments, respVersion);
              replies.push(l, reply);
              return reply.errorLine() != null;
            });
    if (raise && failed) {
      throw LuaRaise.onTop();
    }
    return 1;
  }

  /** Pops all arguments. */
  private byte[][] arguments(long l) {
    int count = state.top(l);
    LuaRaise.redisIf(count == 0, "Please specify at least one argument for this redis lib call");
    byte[][] arguments = new byte[count][];
    for (int i = 1; i <= count; i++) {
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
      return Bytes.latin(Numbers.general(state.api.lua_tonumber(l, index), 17));
    }
    throw LuaRaise.redis("Lua redis lib command arguments must be strings or integers");
  }

  /** Keeps an exception of the host for the script's caller, even if the script catches it. */
  private <T extends @Nullable Object> T guarded(Supplier<T> call) {
    try {
      return call.get();
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
    int level = (int) LuaState.truncated(state.api.lua_tonumber(l, 1));
    LuaRaise.redisIf(level < LOWEST_LOG_LEVEL || level > HIGHEST_LOG_LEVEL, "Invalid debug level.");
    StringBuilder message = new StringBuilder();
    for (int i = 2; i <= count; i++) {
      if (state.isString(l, i)) {
        message.append(i > 2 ? " " : "").append(state.text(l, i));
      }
    }
    byte[] bytes = Bytes.latin(message.toString());
    guarded(
        () -> {
          host.log(level, bytes);
          return true;
        });
    return 0;
  }

  private int setResp(long l) {
    LuaRaise.redisIf(state.top(l) != 1, "redis.setresp() requires one argument.");
    int version = (int) LuaState.truncated(state.api.lua_tonumber(l, 1));
    LuaRaise.redisIf(version != 2 && version != 3, "RESP version must be 2 or 3.");
    respVersion = version;
    return 0;
  }

  private int sha1Hex(long l) {
    LuaRaise.redisIf(state.top(l) != 1, "wrong number of arguments");
    byte[] data = state.isString(l, 1) ? state.bytes(l, 1) : new byte[0];
    state.pushAscii(l, Bytes.digest("SHA-1", data));
    return 1;
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
    int flags = (int) LuaState.truncated(state.api.lua_tonumber(l, 1));
    LuaRaise.redisIf(
        (flags & ~REPLICATE_ALL) != 0,
        "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
    return 0;
  }

  private int aclCheck(long l) {
    byte[][] command = arguments(l);
    Boolean allowed = guarded(() -> host.allowed(command));
    if (allowed == null) {
      throw LuaRaise.redis("Invalid command passed to redis.acl_check_cmd()");
    }
    return bool(l, allowed);
  }
}
