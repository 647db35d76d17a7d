// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Native Lua 5.1: one interpreter for all nodes of a server, handed the host of each run. */
final class LuaScriptEngine implements ScriptEngine {
  private final CurrentHost current = new CurrentHost();
  private final LuaEngine engine;

  LuaScriptEngine(Edition edition) {
    engine = new LuaEngine(current, edition);
  }

  /** Passes calls on to the host that runs a script at the moment. */
  private static final class CurrentHost implements LuaHost {
    private @Nullable LuaHost host;

    private LuaHost host() {
      if (host == null) {
        throw new IllegalStateException("no script is running");
      }
      return host;
    }

    @Override
    public @Nullable Object call(byte[][] command, boolean readOnlyScript) {
      return host == null
          ? new LuaError("ERR redis.call may only be used inside a script")
          : host.call(command, readOnlyScript);
    }

    @Override
    public void log(int level, byte[] message) {
      host().log(level, message);
    }

    @Override
    public void respVersion(int version) {
      if (host != null) {
        host.respVersion(version);
      }
    }

    @Override
    public void replication(int flags) {
      if (host != null) {
        host.replication(flags);
      }
    }

    @Override
    public boolean interrupted() {
      return host != null && host.interrupted();
    }

    @Override
    public @Nullable Boolean allowed(byte[][] command) {
      return host().allowed(command);
    }
  }

  @Override
  public @Nullable Set<String> flags(byte[] source) {
    try {
      boolean hasLine = source.length > 1 && source[0] == '#' && source[1] == '!';
      return hasLine ? LuaEngine.flags(source) : null;
    } catch (LuaScriptException e) {
      throw new ScriptException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void compile(byte[] source, String sha1) {
    try {
      engine.compile(source, sha1);
    } catch (LuaScriptException e) {
      throw new ScriptException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public @Nullable Object eval(
      byte[] source, String sha1, List<byte[]> keys, List<byte[]> args, LuaHost host) {
    current.host = host;
    try {
      return engine.eval(source, sha1, keys, args, false);
    } catch (LuaScriptException e) {
      throw new ScriptException(String.valueOf(e.getMessage()));
    } finally {
      current.host = null;
    }
  }

  @Override
  public List<LuaFunction> load(byte[] source) {
    try {
      return engine.load(source);
    } catch (LuaScriptException e) {
      throw new ScriptException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void unload(List<LuaFunction> functions) {
    engine.unload(functions);
  }

  @Override
  public @Nullable Object call(
      LuaFunction function, List<byte[]> keys, List<byte[]> args, LuaHost host) {
    current.host = host;
    try {
      return engine.call(function, keys, args);
    } catch (LuaScriptException e) {
      throw new ScriptException(String.valueOf(e.getMessage()));
    } finally {
      current.host = null;
    }
  }

  @Override
  public void flush() {
    engine.flush();
  }

  @Override
  public void close() {
    engine.close();
  }
}
