package dev.sheaf.embedded.lua;

import java.nio.charset.StandardCharsets;

/**
 * A script that is ready to run.
 *
 * @param reference brings its function back
 * @param mayLeaveTraces whether the engine has to look for what it left behind
 */
record CompiledScript(int reference, boolean mayLeaveTraces) {
  /**
   * What leads to table.insert, which writes into protected tables. Without the name itself, it is
   * reached through all globals or through code made at run time; identifiers have no escapes.
   */
  private static final String[] WAYS = {"table", "_G", "load"};

  /** Looks at the text only, so it errs on the side of true. */
  static boolean mayLeaveTraces(byte[] source) {
    String text = new String(source, StandardCharsets.ISO_8859_1);
    for (String way : WAYS) {
      if (text.contains(way)) {
        return true;
      }
    }
    return false;
  }
}
