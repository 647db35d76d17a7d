// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stands in where native Lua cannot be loaded: the server runs, scripts do not. */
final class MissingScriptEngine implements ScriptEngine {
  private final String reason;

  MissingScriptEngine(String reason) {
    this.reason = reason;
  }

  private ScriptException missing() {
    return new ScriptException(
        "ERR scripts need native Lua, which cannot be loaded here: " + reason);
  }

  @Override
  public @Nullable Set<String> flags(byte[] source) {
    throw missing();
  }

  @Override
  public void compile(byte[] source, String sha1) {
    throw missing();
  }

  @Override
  public @Nullable Object eval(
      byte[] source, String sha1, List<byte[]> keys, List<byte[]> args, LuaHost host) {
    throw missing();
  }

  @Override
  public List<LuaFunction> load(byte[] source) {
    throw missing();
  }

  @Override
  public void unload(List<LuaFunction> functions) {
    // none was ever loaded
  }

  @Override
  public @Nullable Object call(
      LuaFunction function, List<byte[]> keys, List<byte[]> args, LuaHost host) {
    throw missing();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
