// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.inspector.InspectedValue;
import dev.sheaf.inspector.InspectedValue.Kind;
import dev.sheaf.spring.admin.JsonRedactor.Redacted;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which part of a value is shown. If it cannot tell that everything secret is redacted, it
 * shows nothing. Immutable.
 */
final class Redactor {

  /** The longest text without structure that can be shown: 256 characters. */
  static final int MAX_PLAIN_CHARS = 256;

  /**
   * The longest word in it: 16 letters and digits, 12 bytes in base64. Longer ones can be encoded
   * data.
   */
  private static final int MAX_WORD_CHARS = 16;

  private static final Pattern PLAIN_WORDS =
      Pattern.compile(
          "[ .,@_#!?()-]*+(?:[\\p{L}\\p{N}+/]{1," + MAX_WORD_CHARS + "}+(?:[ .,@_#!?()-]++|$))*+");

  /** Matches the hexadecimal bytes at the end of messages about damaged values. */
  private static final Pattern BYTES = Pattern.compile("(?i)[0-9a-f]{8,}…?");

  private static final Pattern NAME_CHARS =
      Pattern.compile("[\\p{L}\\p{M}\\p{N} .,:;@_#!?()+/-]*+");

  private static final Pattern NAME_ENDS = Pattern.compile("[^\\p{L}\\p{M}\\p{N}+/]+");

  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9]++(?:[.,][0-9]++)?");

  private static final Pattern HEX_NAME = Pattern.compile("(?:[0-9a-f]{2})+");

  private final NameRules names;
  private final boolean showUnstructured;

  /**
   * Creates a redactor.
   *
   * @param showUnstructured whether to show text that is neither JSON nor a few plain words
   */
  Redactor(NameRules names, boolean showUnstructured) {
    this.names = names;
    this.showUnstructured = showUnstructured;
  }

  /**
   * The part of a value that is shown.
   *
   * @param kind "json", "text", "hex", or "none" if nothing is shown
   * @param text null if nothing is shown
   * @param fields the number of replaced fields
   * @param withheld why nothing is shown; null otherwise
   */
  record Shown(String kind, @Nullable String text, int fields, @Nullable String withheld) {

    static Shown withheld(String why) {
      return new Shown("none", null, 0, why);
    }
  }

  /**
   * Redacts a value, or an element of one.
   *
   * @param field the name of the field, if the value is that of a hash or a stream entry; otherwise
   *     null
   */
  Shown show(InspectedValue value, @Nullable String field) {
    if (value.preview().isEmpty() && value.problem() != null) {
      return Shown.withheld("It cannot be read.");
    }
    if (names.isEmpty()) {
      return asIs(value);
    }
    if (field != null && isRedacted(field)) {
      return new Shown("text", JsonRedactor.MASK, 1, null);
    }
    if (!value.isComplete()) {
      return Shown.withheld(
          "Hidden: it is too large to be redacted as a whole. sheaf.admin.max-value-size sets the"
              + " limit.");
    }
    return value.kind() == Kind.HEX ? binary(value) : text(value.preview(), field != null);
  }

  /** Binary names are given in hexadecimal. Long ones can be truncated. */
  private boolean isRedacted(String field) {
    return field.length() > MAX_PLAIN_CHARS
        || names.match(field)
        || (HEX_NAME.matcher(field).matches()
            && names.match(
                new String(HexFormat.of().parseHex(field), StandardCharsets.ISO_8859_1)));
  }

  private static Shown asIs(InspectedValue value) {
    String kind =
        switch (value.kind()) {
          case JSON -> value.isComplete() ? "json" : "text";
          case TEXT -> "text";
          case HEX -> "hex";
        };
    return new Shown(kind, value.preview(), 0, null);
  }

  private Shown binary(InspectedValue value) {
    String latin1 =
        new String(HexFormat.of().parseHex(value.preview()), StandardCharsets.ISO_8859_1);
    // In UTF-16, every other byte of ASCII text is zero.
    String narrowed = latin1.replace("\0", "");
    if (!showUnstructured || names.assignedIn(latin1) || names.assignedIn(narrowed)) {
      return unstructured("value");
    }
    return new Shown("hex", value.preview(), 0, null);
  }

  private Shown text(String text, boolean named) {
    String stripped = text.strip();
    boolean structured = stripped.startsWith("{") || stripped.startsWith("[");
    boolean proven = named || showUnstructured || isPlain(stripped);
    Redacted document = JsonRedactor.redact(text, names);
    if (document != null && (structured || proven)) {
      return new Shown(structured ? "json" : "text", document.text(), document.fields(), null);
    }
    if (document != null || !proven) {
      return unstructured("text");
    }
    Redacted shown = JsonRedactor.redactString(text, names);
    return shown == null
        ? Shown.withheld("Hidden: it is not JSON, and seems to hold a field that is redacted.")
        : new Shown("text", shown.text(), shown.fields(), null);
  }

  private static Shown unstructured(String what) {
    return Shown.withheld(
        "Hidden: this "
            + what
            + " has no field names, so secrets in it cannot be recognised."
            + " sheaf.admin.redact.show-unstructured=true shows such values.");
  }

  /** Returns whether a text is a number or a few words, with or without JSON quotes. */
  private static boolean isPlain(String text) {
    boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
    String words = quoted ? text.substring(1, text.length() - 1) : text;
    return words.length() <= MAX_PLAIN_CHARS
        && (PLAIN_WORDS.matcher(words).matches() || NUMBER.matcher(words).matches());
  }

  /** A message about a value, without bytes of it. */
  @Nullable String problem(@Nullable String problem) {
    return problem == null || names.isEmpty() ? problem : BYTES.matcher(problem).replaceAll("…");
  }

  /**
   * Whether the name of an element is not shown: it may be a secret itself, such as the identifier
   * of a session.
   */
  boolean hidesName(String name) {
    if (names.isEmpty()) {
      return false;
    }
    Redacted shown = JsonRedactor.redactString(name, names);
    return name.length() > MAX_PLAIN_CHARS
        || shown == null
        || shown.fields() > 0
        || !(showUnstructured || isPlainName(name));
  }

  /** Whether each word of a name is short, or made of words in its turn. */
  private static boolean isPlainName(String name) {
    return NAME_CHARS.matcher(name).matches()
        && NAME_ENDS
            .splitAsStream(name)
            .allMatch(word -> word.length() <= MAX_WORD_CHARS || isOfWords(word));
  }

  /** Whether this is as deliveryAddressLine: letters, most of them small. */
  private static boolean isOfWords(String word) {
    long small = word.chars().filter(Character::isLowerCase).count();
    return word.chars().allMatch(Character::isLetter) && small * 4 >= word.length() * 3L;
  }
}
