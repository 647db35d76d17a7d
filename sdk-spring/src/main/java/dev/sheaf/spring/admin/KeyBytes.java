// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses a key in a request, and formats keys for display. */
final class KeyBytes {

  /** The longest key: 8,192 bytes, about what fits into a URL. */
  static final int MAX_KEY_BYTES = 8192;

  private static final int MAX_SHOWN_CHARS = 256;

  private KeyBytes() {}

  /**
   * Parses a key.
   *
   * @param encoding utf8, base64 or hex; null means utf8
   * @throws IllegalArgumentException if the key is malformed, empty or too long; the message says
   *     so
   */
  static byte[] parse(String key, @Nullable String encoding) {
    byte[] bytes = decode(key, encoding == null ? "utf8" : encoding.toLowerCase(Locale.ROOT));
    if (bytes.length == 0) {
      throw new IllegalArgumentException("The key is empty.");
    }
    if (bytes.length > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "The key has " + bytes.length + " bytes; at most " + MAX_KEY_BYTES + " are accepted.");
    }
    return bytes;
  }

  private static byte[] decode(String key, String encoding) {
    try {
      return switch (encoding) {
        case "utf8" -> key.getBytes(StandardCharsets.UTF_8);
        case "hex" -> HexFormat.of().parseHex(key);
        // A plus sign is a space in a query string, so both base64 alphabets are accepted.
        case "base64" ->
            Base64.getDecoder().decode(key.replace(' ', '+').replace('-', '+').replace('_', '/'));
        default -> throw new IllegalArgumentException("The encoding must be utf8, base64 or hex.");
      };
    } catch (IllegalArgumentException e) {
      throw encoding.equals("hex") || encoding.equals("base64")
          ? new IllegalArgumentException("The key is not valid " + encoding + ".", e)
          : e;
    }
  }

  /** Formats a key for logs: one line, no control characters, truncated. */
  static String printable(byte[] key) {
    String text = new String(key, StandardCharsets.UTF_8);
    StringBuilder printable = new StringBuilder();
    text.codePoints()
        .limit(MAX_SHOWN_CHARS)
        .forEach(
            c -> {
              if (isPrintable(c)) {
                printable.appendCodePoint(c);
              } else {
                printable.append(String.format("\\u%04x", c));
              }
            });
    return text.length() > MAX_SHOWN_CHARS
        ? printable.append('…').toString()
        : printable.toString();
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
