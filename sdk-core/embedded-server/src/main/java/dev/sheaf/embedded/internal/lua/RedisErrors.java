// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import org.jspecify.annotations.Nullable;

/** Errors as scripts get them from the {@code redis} table: tables with an {@code err} field. */
final class RedisErrors {

  private static final String GENERIC_CODE = "ERR";

  /** How many bytes of an error that is not a table a server shows. */
  private static final int MAX_PLAIN_MESSAGE = 100;

  /** Pushes an error for a message without a code. */
  static void push(LuaState state, long l, String message) {
    pushTable(state, l, GENERIC_CODE + " " + trimmed(message));
  }

  /** Pushes an error for the text of an error reply, which starts with its code. */
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

  /** Converts text for an error reply: one line, up to a NUL. */
  static String asLine(String text) {
    return Bytes.errorLine(Bytes.untilNul(text));
  }

  /** The error line of the script or function with that name, whose error value is on top. */
  static String ofFailure(LuaState state, long l, String name) {
    if (state.type(l, -1) != LuaState.TABLE) {
      String text = state.isString(l, -1) ? state.text(l, -1) : "execution failure";
      text = Bytes.untilNul(text);
      text = text.substring(0, Math.min(MAX_PLAIN_MESSAGE, text.length()));
      return asLine("ERR Error running script " + name + ", " + text);
    }
    String message = reason(state, l);
    String source = field(state, l, "source");
    String line = field(state, l, "line");
    return asLine(
        source == null || line == null
            ? message
            : message + " script: " + name + ", on " + source + ":" + line + ".");
  }

  /** The message of the error value on top. */
  static String reason(LuaState state, long l) {
    String reason = state.type(l, -1) == LuaState.TABLE ? field(state, l, "err") : null;
    return reason == null ? GENERIC_CODE + " unknown error" : reason;
  }

  private static @Nullable String field(LuaState state, long l, String name) {
    state.rawGet(l, -1, name);
    String text = state.isString(l, -1) ? Bytes.untilNul(state.text(l, -1)) : null;
    state.pop(l, 1);
    return text;
  }

  private static String trimmed(String text) {
    int from = 0;
    while (from < text.length() && Bytes.isLineEnd(text.charAt(from))) {
      from++;
    }
    return Bytes.withoutLineEnds(text.substring(from));
  }
}
