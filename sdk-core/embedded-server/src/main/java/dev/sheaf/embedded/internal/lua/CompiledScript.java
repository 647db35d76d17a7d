// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A compiled script.
 *
 * @param name its digest, 40 lowercase hexadecimal digits
 * @param flags the flags of its first line; null without such a line
 * @param mayLeaveTraces whether it may have changed shared tables, which are then cleaned up:
 *     table.insert writes into protected tables
 * @param mayReadKeys whether it may read KEYS
 * @param mayReadArguments whether it may read ARGV
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
   * Words without which a script can only read globals that its text names. Others need the table
   * of all globals, or code generated at run time.
   */
  private static final String[] REACHES_ANY_GLOBAL = {"_G", "load"};

  /** Judges by the text alone, so it errs on the side of true. */
  static CompiledScript of(String name, byte[] source, @Nullable Set<String> flags, int reference) {
    String text = Bytes.text(source);
    boolean any = Stream.of(REACHES_ANY_GLOBAL).anyMatch(text::contains);
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
