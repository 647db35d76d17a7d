// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the values of redacted fields in a JSON document, and copies the rest unchanged.
 *
 * <p>Strict RFC 8259: a document that it does not fully understand is not redacted, and callers do
 * not show it. Not thread-safe; one instance per document.
 */
final class JsonRedactor {

  /** Replaces a redacted value. */
  static final String MASK = "******";

  /**
   * Names in objects that have a name and a value, such as {@code {"name": "password", "value":
   * …}}.
   */
  private static final Set<String> NAMES_OF_NAMES =
      Set.of("name", "key", "k", "field", "header", "id", "property", "param", "attribute");

  private static final Set<String> NAMES_OF_VALUES =
      Set.of("value", "values", "val", "v", "content", "data");

  /** The deepest nesting that is understood, so that recursion ends before the stack does. */
  static final int MAX_DEPTH = 200;

  /** How deeply JSON documents can be nested as strings within each other. */
  static final int MAX_EMBEDDED = 4;

  /** A redacted document and the number of replaced values. */
  record Redacted(String text, int fields) {}

  /** Thrown and caught within this class if a text is not JSON. */
  private static final class NotJson extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotJson() {
      super(null, null, false, false);
    }
  }

  private final String in;
  private final NameRules names;
  private final int embedded;
  private final StringBuilder out = new StringBuilder();
  private int at;
  private int copied;
  private int fields;

  private JsonRedactor(String in, NameRules names, int embedded) {
    this.in = in;
    this.names = names;
    this.embedded = embedded;
  }

  /** Redacts a document. Returns null if the text is not JSON. */
  static @Nullable Redacted redact(String text, NameRules names) {
    return redact(text, names, 0);
  }

  private static @Nullable Redacted redact(String text, NameRules names, int embedded) {
    try {
      return new JsonRedactor(text, names, embedded).document();
    } catch (NotJson e) {
      return null;
    }
  }

  /**
   * Redacts a string whose field has a harmless name. It can be a document itself.
   *
   * @return null if it must not be shown
   */
  static @Nullable Redacted redactString(String text, NameRules names) {
    return redactString(text, names, 0);
  }

  private static @Nullable Redacted redactString(String text, NameRules names, int embedded) {
    if (looksLikeDocument(text)) {
      if (embedded >= MAX_EMBEDDED) {
        return null;
      }
      Redacted document = redact(text, names, embedded + 1);
      if (document != null) {
        return document;
      }
    }
    return names.assignedIn(text) ? null : new Redacted(text, 0);
  }

  private static boolean looksLikeDocument(String text) {
    String stripped = text.strip();
    return stripped.startsWith("{") || stripped.startsWith("[") || stripped.startsWith("\"");
  }

  private Redacted document() {
    space();
    value(0);
    space();
    if (at < in.length()) {
      throw new NotJson();
    }
    return new Redacted(out.append(in, copied, at).toString(), fields);
  }

  private void value(int depth) {
    switch (peek()) {
      case '{' -> object(depth + 1);
      case '[' -> array(depth + 1);
      case '"' -> stringValue();
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    }
  }

  private void object(int depth) {
    checkDepth(depth);
    int start = at;
    int outBefore = out.length();
    int copiedBefore = copied;
    int fieldsBefore = fields;
    boolean namesOne = false;
    boolean hasValue = false;
    expect('{');
    space();
    if (!taken('}')) {
      do {
        space();
        String name = string();
        space();
        expect(':');
        space();
        namesOne |= isNameOfName(name) && isRedactedName();
        hasValue |= NAMES_OF_VALUES.contains(name.toLowerCase(Locale.ROOT));
        if (names.match(name)) {
          masked(depth);
        } else {
          value(depth);
        }
        space();
      } while (taken(','));
      expect('}');
    }
    if (namesOne && hasValue) {
      // Handles {"name": "password", "value": …}.
      out.setLength(outBefore);
      copied = copiedBefore;
      fields = fieldsBefore;
      replace(start);
    }
  }

  private static boolean isNameOfName(String name) {
    return NAMES_OF_NAMES.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Returns whether the value that starts here is the name of a redacted field. */
  private boolean isRedactedName() {
    if (peek() != '"') {
      return false;
    }
    int before = at;
    boolean redacted = names.match(string());
    at = before;
    return redacted;
  }

  private void array(int depth) {
    checkDepth(depth);
    expect('[');
    space();
    if (taken(']')) {
      return;
    }
    boolean afterName = false;
    do {
      space();
      // Names and values can alternate: ["password", …].
      boolean name = !afterName && isRedactedName();
      if (afterName) {
        masked(depth);
      } else {
        value(depth);
      }
      afterName = name;
      space();
    } while (taken(','));
    expect(']');
  }

  private void masked(int depth) {
    int start = at;
    int outBefore = out.length();
    int copiedBefore = copied;
    int fieldsBefore = fields;
    value(depth);
    out.setLength(outBefore);
    copied = copiedBefore;
    fields = fieldsBefore;
    replace(start);
  }

  /** Replaces what was read since a position by the mask. */
  private void replace(int start) {
    out.append(in, copied, start).append('"').append(MASK).append('"');
    copied = at;
    fields++;
  }

  private void stringValue() {
    int start = at;
    String text = string();
    Redacted shown = redactString(text, names, embedded);
    if (shown == null) {
      replace(start);
    } else if (shown.fields() > 0) {
      out.append(in, copied, start);
      quote(shown.text());
      copied = at;
      fields += shown.fields();
    }
  }

  private void quote(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        // Unpaired surrogates, which only escapes can express, must not be written unchanged.
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  private String string() {
    expect('"');
    int start = at;
    while (at < in.length() && in.charAt(at) != '"' && in.charAt(at) != '\\') {
      plainChar();
    }
    if (at < in.length() && in.charAt(at) == '"') {
      return in.substring(start, at++);
    }
    StringBuilder text = new StringBuilder(in.substring(start, at));
    while (peek() != '"') {
      text.append(in.charAt(at) == '\\' ? escape() : plainChar());
    }
    at++;
    return text.toString();
  }

  private char plainChar() {
    char c = in.charAt(at++);
    if (c < ' ') {
      throw new NotJson();
    }
    return c;
  }

  private char escape() {
    at++;
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hex4();
      default -> throw new NotJson();
    };
  }

  private char hex4() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = asciiDigit(peek());
      at++;
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private static int asciiDigit(char c) {
    int digit = c < 128 ? Character.digit(c, 16) : -1;
    if (digit < 0) {
      throw new NotJson();
    }
    return digit;
  }

  private void number() {
    taken('-');
    if (!taken('0')) {
      digits();
    }
    if (taken('.')) {
      digits();
    }
    if (taken('e') || taken('E')) {
      if (!taken('+')) {
        taken('-');
      }
      digits();
    }
  }

  private void digits() {
    int start = at;
    while (at < in.length() && in.charAt(at) >= '0' && in.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      throw new NotJson();
    }
  }

  private void word(String word) {
    if (!in.startsWith(word, at)) {
      throw new NotJson();
    }
    at += word.length();
  }

  private void space() {
    while (at < in.length() && " \t\r\n".indexOf(in.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= in.length()) {
      throw new NotJson();
    }
    return in.charAt(at);
  }

  private void expect(char c) {
    if (peek() != c) {
      throw new NotJson();
    }
    at++;
  }

  private boolean taken(char c) {
    if (at < in.length() && in.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private static void checkDepth(int depth) {
    if (depth > MAX_DEPTH) {
      throw new NotJson();
    }
  }
}
