// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.nio.charset.StandardCharsets;

/**
 * A script that is ready to run.
 *
 * @param reference brings its function back
 * @param mayLeaveTraces whether the engine has to look for what it left behind: table.insert writes
 *     into protected tables
 * @param mayReadKeys whether it can see KEYS
 * @param mayReadArguments whether it can see ARGV
 */
record CompiledScript(
    int reference, boolean mayLeaveTraces, boolean mayReadKeys, boolean mayReadArguments) {
  /**
   * Without its name, a global is reached through all globals or through code made at run time;
   * identifiers have no escapes.
   */
  private static final String[] WAYS_TO_ANY_GLOBAL = {"_G", "load"};

  /** Looks at the text only, so it errs on the side of true. */
  static CompiledScript of(int reference, byte[] source) {
    String text = new String(source, StandardCharsets.ISO_8859_1);
    boolean any = false;
    for (String way : WAYS_TO_ANY_GLOBAL) {
      any = any || text.contains(way);
    }
    return new CompiledScript(
        reference,
        any || text.contains("table"),
        any || text.contains("KEYS"),
        any || text.contains("ARGV"));
  }
}
