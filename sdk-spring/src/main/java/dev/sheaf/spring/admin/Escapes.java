// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.util.Map;

/**
 * Undoes the escapes by which text formats hide a colon, an equals sign or a quote from a search.
 */
final class Escapes {

  private static final Map<String, Character> ENTITIES =
      Map.of(
          "quot", '"', "apos", '\'', "lt", '<', "gt", '>', "amp", '&', "colon", ':', "equals", '=',
          "num", '#', "commat", '@', "sol", '/');

  private static final int MAX_ENTITY_CHARS = 8;

  private Escapes() {}

  /** Decodes the escapes of JSON, XML and URIs in a text once. */
  static String undo(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    int at = 0;
    while (at < text.length()) {
      int next =
          switch (text.charAt(at)) {
            case '\\' -> afterBackslash(text, at, plain);
            case '&' -> afterEntity(text, at, plain);
            case '%' -> afterNumber(text, at + 1, 2, plain);
            default -> -1;
          };
      if (next < 0) {
        plain.append(text.charAt(at));
        at++;
      } else {
        at = next;
      }
    }
    return plain.toString();
  }

  private static int afterBackslash(String text, int at, StringBuilder plain) {
    if (at + 1 >= text.length()) {
      return -1;
    }
    char kind = text.charAt(at + 1);
    if (kind == 'u') {
      return afterNumber(text, at + 2, 4, plain);
    }
    if (kind == 'x') {
      return afterNumber(text, at + 2, 2, plain);
    }
    if (kind == '\\' || kind == '"' || kind == '/') {
      plain.append(kind);
      return at + 2;
    }
    return -1;
  }

  /**
   * Appends the character with this many hex digits. Returns the index after it, or -1 if it is
   * none.
   */
  private static int afterNumber(String text, int from, int digits, StringBuilder plain) {
    return appended(text, from, from + digits, 16, plain) ? from + digits : -1;
  }

  private static boolean appended(String text, int from, int to, int radix, StringBuilder plain) {
    if (to > text.length() || from == to) {
      return false;
    }
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) < 128 ? Character.digit(text.charAt(i), radix) : -1;
      if (digit < 0) {
        return false;
      }
      value = value * radix + digit;
    }
    if (!Character.isValidCodePoint(value)) {
      return false;
    }
    plain.appendCodePoint(value);
    return true;
  }

  private static int afterEntity(String text, int at, StringBuilder plain) {
    int end = at + 1;
    while (end < text.length() && end - at <= MAX_ENTITY_CHARS && text.charAt(end) != ';') {
      end++;
    }
    if (end >= text.length() || text.charAt(end) != ';') {
      return -1;
    }
    String name = text.substring(at + 1, end);
    if (name.startsWith("#x") || name.startsWith("#X")) {
      return appended(text, at + 3, end, 16, plain) ? end + 1 : -1;
    }
    if (name.startsWith("#")) {
      return appended(text, at + 2, end, 10, plain) ? end + 1 : -1;
    }
    Character known = ENTITIES.get(name);
    if (known == null) {
      return -1;
    }
    plain.append(known.charValue());
    return end + 1;
  }

  /**
   * Returns whether an address in the text has a user or a password, as {@code
   * scheme://user:pw@host}.
   */
  static boolean hasUserInfo(String text) {
    int start = text.indexOf("://");
    int at = -1;
    int space = -1;
    int slash = -1;
    int colon = -1;
    while (start >= 0) {
      int from = start + 3;
      // Each search continues where the last match was: no text is read twice.
      at = at < from ? next(text, from, "@") : at;
      space = space < from ? next(text, from, " \t\r\n\"'<>") : space;
      slash = slash < from ? next(text, from, "/?#") : slash;
      colon = colon < from ? next(text, from, ":") : colon;
      boolean inAddress = at < text.length() && at < space && at > from;
      // A password can contain an unescaped slash.
      if (inAddress && (at < slash || colon < slash)) {
        return true;
      }
      start = text.indexOf("://", from);
    }
    return false;
  }

  private static int next(String text, int from, String any) {
    int i = from;
    while (i < text.length() && any.indexOf(text.charAt(i)) < 0) {
      i++;
    }
    return i;
  }
}
