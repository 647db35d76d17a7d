// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/** A Lua error raised by a native function. It never leaves the engine. */
final class LuaRaise extends RuntimeException {

  private static final long serialVersionUID = 1L;

  enum Form {
    /** A string without a position. */
    PLAIN,
    /** A string after the caller's position. */
    POSITIONED,
    /** "bad argument #n to 'name' (text)" after the caller's position. */
    ARGUMENT,
    /** The table that redis.call raises: {err = text}. */
    REDIS,
    /** The value on top of the stack. */
    ON_TOP
  }

  final Form form;
  final int argument;

  private LuaRaise(Form form, String text, int argument) {
    super(text, null, false, false);
    this.form = form;
    this.argument = argument;
  }

  static LuaRaise plain(String text) {
    return new LuaRaise(Form.PLAIN, text, 0);
  }

  static LuaRaise positioned(String text) {
    return new LuaRaise(Form.POSITIONED, text, 0);
  }

  static LuaRaise argument(int number, String text) {
    return new LuaRaise(Form.ARGUMENT, text, number);
  }

  static LuaRaise redis(String text) {
    return new LuaRaise(Form.REDIS, text, 0);
  }

  /**
   * Throws {@link #positioned} if something is wrong.
   *
   * @param form a format string of {@link String#format}
   */
  static void positionedIf(boolean wrong, String form, Object... values) {
    if (wrong) {
      throw positioned(form.formatted(values));
    }
  }

  /** Like {@link #positionedIf}, with {@link #redis}. */
  static void redisIf(boolean wrong, String form, Object... values) {
    if (wrong) {
      throw redis(form.formatted(values));
    }
  }

  static LuaRaise onTop() {
    return new LuaRaise(Form.ON_TOP, "", 0);
  }

  String text() {
    String text = getMessage();
    return text == null ? "" : text;
  }
}
