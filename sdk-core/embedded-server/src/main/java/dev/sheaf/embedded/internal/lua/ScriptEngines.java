package dev.sheaf.embedded.internal.lua;

/** Makes script engines. */
public final class ScriptEngines {
  private ScriptEngines() {}

  /** An engine where the native library loads, else one that says so at each script. */
  public static ScriptEngine create() {
    try {
      return new LuaScriptEngine();
    } catch (IllegalStateException | LinkageError e) {
      return new MissingScriptEngine(String.valueOf(e.getMessage()));
    }
  }
}
