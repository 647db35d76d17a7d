// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Collections;
import java.util.List;

/**
 * The access of a command to one of its keys.
 *
 * @param words Redis' description, such as {@code RW access update}
 * @param reads whether the result depends on the key's value
 * @param writes whether it changes the key
 */
public record KeyAccess(List<String> words, boolean reads, boolean writes) {
  private static final KeyAccess READ = of(List.of("RO", "access"));
  private static final KeyAccess WRITE = of(List.of("OW", "update"));
  private static final KeyAccess BOTH = of(List.of("RW", "access", "update"));

  static KeyAccess of(List<String> words) {
    boolean writes = !Collections.disjoint(words, List.of("insert", "update", "delete"));
    return new KeyAccess(words, words.contains("access"), writes);
  }

  /** Returns whether the argument is the name of a channel, not a key. */
  public boolean isNoKey() {
    return words.contains("not_key");
  }

  /** The access of SET and BITFIELD according to their options. */
  KeyAccess given(String command, byte[][] args) {
    if (!words.contains("variable_flags")) {
      return this;
    }
    if (command.equals("set")) {
      return has(args, 3, "GET") ? BOTH : WRITE;
    }
    return has(args, 2, "SET") || has(args, 2, "INCRBY") ? BOTH : READ;
  }

  private static boolean has(byte[][] args, int from, String option) {
    for (int i = from; i < args.length; i++) {
      if (Bytes.is(args[i], option)) {
        return true;
      }
    }
    return false;
  }
}
