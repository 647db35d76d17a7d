// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs scripts. Used by the command thread only. Values are those of {@link LuaHost}. */
public interface ScriptEngine extends AutoCloseable {
  /**
   * The flags of a script's first line; null without such a line.
   *
   * @throws ScriptException if the line is wrong
   */
  @Nullable Set<String> flags(byte[] source);

  /**
   * @throws ScriptException if it does not compile
   */
  void compile(byte[] source, String sha1);

  /**
   * Runs a script; its commands go to the host.
   *
   * @throws ScriptException if it fails
   */
  @Nullable Object eval(
      byte[] source, String sha1, List<byte[]> keys, List<byte[]> args, LuaHost host);

  /**
   * Runs the code of a library.
   *
   * @throws ScriptException if it fails
   */
  List<LuaFunction> load(byte[] source);

  /** Forgets functions. */
  void unload(List<LuaFunction> functions);

  /**
   * Calls a function; its commands go to the host.
   *
   * @throws ScriptException if it fails
   */
  @Nullable Object call(LuaFunction function, List<byte[]> keys, List<byte[]> args, LuaHost host);

  /** Forgets everything compiled; functions stay. */
  void flush();

  @Override
  void close();
}
