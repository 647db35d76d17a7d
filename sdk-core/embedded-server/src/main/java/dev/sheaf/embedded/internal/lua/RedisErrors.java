// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;

/** Errors as the redis table hands them to scripts: tables with an err field. */
final class RedisErrors {

  private static final String GENERIC_CODE = "ERR";

  /** Pushes the error of a message without a code. */
  static void push(LuaState state, long l, String message) {
    pushTable(state, l, GENERIC_CODE + " " + trimmed(message));
  }

  /** Pushes the error of a reply's text, whose first word is its code. */
  static void pushReply(LuaState state, long l, String reply) {
    String text = Bytes.untilNul(reply);
    int blank = text.indexOf(' ');
    String code = blank < 0 ? GENERIC_CODE : text.substring(0, blank);
    pushTable(state, l, code + " " + trimmed(text.substring(blank + 1)));
  }

  private static void pushTable(LuaState state, long l, String text) {
    state.reserve(l, 4);
    state.api.lua_createtable(l, 0, 2);
    state.push(l, text);
    state.rawSet(l, -2, "err");
  }

  /** As an error reply holds it: one line, up to a NUL, line ends at its end cut off. */
  static String asLine(String text) {
    String line = Bytes.untilNul(text);
    int end = line.length();
    while (end > 0 && isLineEnd(line.charAt(end - 1))) {
      end--;
    }
    return line.substring(0, end).replace('\r', ' ').replace('\n', ' ');
  }

  private static String trimmed(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isLineEnd(text.charAt(from))) {
      from++;
    }
    while (to > from && isLineEnd(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isLineEnd(char c) {
    return c == '\r' || c == '\n';
  }
}
