// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A script that is ready to run.
 *
 * @param name its digest, 40 lowercase hexadecimal digits
 * @param flags of its first line; null without one
 * @param mayLeaveTraces whether the engine has to look for what it left behind: table.insert writes
 *     into protected tables
 * @param mayReadKeys whether it can see KEYS
 * @param mayReadArguments whether it can see ARGV
 */
public record CompiledScript(
    String name,
    byte[] source,
    @Nullable Set<String> flags,
    int reference,
    boolean mayLeaveTraces,
    boolean mayReadKeys,
    boolean mayReadArguments)
    implements LuaCode {
  /**
   * Without its name, a global is reached through all globals or through code made at run time;
   * identifiers have no escapes.
   */
  private static final String[] WAYS_TO_ANY_GLOBAL = {"_G", "load"};

  /** Looks at the text only, so it errs on the side of true. */
  static CompiledScript of(String name, byte[] source, @Nullable Set<String> flags, int reference) {
    String text = Bytes.text(source);
    boolean any = Stream.of(WAYS_TO_ANY_GLOBAL).anyMatch(text::contains);
    return new CompiledScript(
        name,
        source,
        flags,
        reference,
        any || text.contains("table"),
        any || text.contains("KEYS"),
        any || text.contains("ARGV"));
  }
}
