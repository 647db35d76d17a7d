// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The first line of a script, if it begins with {@code #!lua}.
 *
 * @param length the length of the line in bytes; 0 without such a line
 * @param flags its flags; null without such a line
 */
public record ScriptHeader(int length, @Nullable Set<String> flags) {

  private static final Set<String> KNOWN_FLAGS =
      Set.of("no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys");
  private static final String FLAGS = "flags=";

  /**
   * Parses the first line of a script.
   *
   * @throws CommandException if a server would reject the line
   */
  public static ScriptHeader of(byte[] source) {
    if (source.length < 2 || source[0] != '#' || source[1] != '!') {
      return new ScriptHeader(0, null);
    }
    String text = Bytes.untilNul(source);
    int end = text.indexOf('\n');
    refuseIf(end < 0, "ERR Invalid script shebang");
    return new ScriptHeader(end, flags(List.of(text.substring(0, end).trim().split("\\s+"))));
  }

  static boolean isFlag(String word) {
    return KNOWN_FLAGS.contains(word);
  }

  private static Set<String> flags(List<String> words) {
    refuseIf(
        !words.get(0).equals("#!lua"), "ERR Unexpected engine in script shebang: %s", words.get(0));
    Set<String> flags = new LinkedHashSet<>();
    for (String word : words.subList(1, words.size())) {
      refuseIf(!word.startsWith(FLAGS), "ERR Unknown lua shebang option: %s", word);
      String list = word.substring(FLAGS.length());
      for (String flag : list.isEmpty() ? new String[0] : list.split(",", -1)) {
        refuseIf(!KNOWN_FLAGS.contains(flag), "ERR Unexpected flag in script shebang: %s", flag);
        flags.add(flag);
      }
    }
    return Set.copyOf(flags);
  }

  private static void refuseIf(boolean wrong, String form, Object... values) {
    if (wrong) {
      throw new CommandException(form.formatted(values));
    }
  }
}
