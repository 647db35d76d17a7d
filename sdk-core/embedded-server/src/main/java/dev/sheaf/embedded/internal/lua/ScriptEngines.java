// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.protocol.Edition;

/** Makes script engines. */
public final class ScriptEngines {
  private ScriptEngines() {}

  /** An engine where the native library loads, else one that says so at each script. */
  public static ScriptEngine create(Edition edition) {
    try {
      return new LuaScriptEngine(edition);
    } catch (IllegalStateException | LinkageError e) {
      return new MissingScriptEngine(String.valueOf(e.getMessage()));
    }
  }
}
