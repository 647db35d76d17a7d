// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decides by name which fields are redacted. Immutable. */
final class NameRules {

  static final List<String> USUAL_NAMES =
      List.of(
          "*password*",
          "*passwd*",
          "*passphrase*",
          "pwd",
          "pass",
          "*secret*",
          "*token*",
          "*credential*",
          "*apikey*",
          "*accesskey*",
          "*privatekey*",
          "authorization",
          "*cookie*",
          "sessionid",
          "*jwt*",
          "pin",
          "otp",
          "cvc",
          "*cvv*",
          "*cardnumber*",
          "ssn");

  /** Splits names such as user_pin, user.pin, userPin, PINCode and pin2. */
  private static final Pattern WORD_ENDS =
      Pattern.compile(
          "[^\\p{L}\\p{N}]+|(?<=\\p{Ll})(?=\\p{Lu})|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})|(?<=\\p{L})(?=\\p{N})");

  /** The most levels of escaping. A text with more could hide anything. */
  private static final int MAX_ESCAPED = 5;

  private final List<Glob> patterns;

  NameRules(List<String> patterns) {
    this.patterns = patterns.stream().map(NameRules::normalPattern).map(Glob::new).toList();
  }

  static NameRules of(SheafAdminProperties.Redact redact) {
    Stream<String> usual = redact.usual() ? USUAL_NAMES.stream() : Stream.empty();
    return new NameRules(Stream.concat(usual, redact.fields().stream()).toList());
  }

  /** Returns whether nothing is redacted. */
  boolean isEmpty() {
    return patterns.isEmpty();
  }

  /** Returns whether a field is redacted, by its whole name or by one of the words in it. */
  boolean match(String name) {
    return matches(normal(name))
        || WORD_ENDS.splitAsStream(name).map(NameRules::normal).anyMatch(this::matches);
  }

  private boolean matches(String normal) {
    return !normal.isEmpty() && patterns.stream().anyMatch(pattern -> pattern.matches(normal));
  }

  /**
   * Returns whether a text contains one of the names directly before a value, as {@code
   * password=…}, {@code "password": …}, {@code <password>…} or {@code --password …}, in any format
   * and escaping, or an address with a password.
   */
  boolean assignedIn(String text) {
    String plain = text;
    for (int i = 0; i < MAX_ESCAPED; i++) {
      if (assignedInPlain(plain) || Escapes.hasUserInfo(plain)) {
        return true;
      }
      String unescaped = Escapes.undo(plain);
      if (unescaped.equals(plain)) {
        return false;
      }
      plain = unescaped;
    }
    return true;
  }

  private boolean assignedInPlain(String text) {
    int start = -1;
    for (int i = 0; i <= text.length(); i++) {
      boolean inName = i < text.length() && isOfName(text.charAt(i));
      if (inName && start < 0) {
        start = i;
      } else if (!inName && start >= 0) {
        if ((assigns(text, i) || isFlag(text, start, i)) && match(text.substring(start, i))) {
          return true;
        }
        start = -1;
      }
    }
    return false;
  }

  private static boolean isOfName(char c) {
    return Character.isLetterOrDigit(c)
        || c == '_'
        || c == '-'
        || c == '.'
        || Character.isSurrogate(c)
        || Character.getType(c) == Character.FORMAT;
  }

  /** Returns whether a value follows, after quotes, escapes and spaces. */
  private static boolean assigns(String text, int end) {
    for (int i = end; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ':' || c == '=' || c == '>' || c == ';') {
        return true;
      }
      if (c != '"' && c != '\'' && c != '\\' && c != ']' && c != ')' && !isSpace(c)) {
        return false;
      }
    }
    return false;
  }

  /** Returns whether this is a command line option with a value, such as {@code --password x}. */
  private static boolean isFlag(String text, int start, int end) {
    return text.charAt(start) == '-' && end + 1 < text.length() && isSpace(text.charAt(end));
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }

  private static String normalPattern(String pattern) {
    return Arrays.stream(pattern.split("\\*", -1))
        .map(NameRules::normal)
        .collect(Collectors.joining("*"));
  }

  /** Returns only the letters and digits of a name, in lower case, each in its usual form. */
  private static String normal(String name) {
    String usual = Normalizer.normalize(name, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
    StringBuilder kept = new StringBuilder(usual.length());
    usual.codePoints().filter(Character::isLetterOrDigit).forEach(kept::appendCodePoint);
    return kept.toString();
  }
}
