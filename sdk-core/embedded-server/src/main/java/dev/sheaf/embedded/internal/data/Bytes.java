// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Byte string utilities with Redis' rules: binary, with case-insensitive ASCII keywords. */
public final class Bytes {
  public static final byte[] EMPTY = new byte[0];

  private Bytes() {}

  public static byte[] of(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Converts bytes to one char each, so that nothing is lost on the way back. */
  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Returns the C string: up to the first NUL. */
  public static String untilNul(byte[] bytes) {
    return untilNul(text(bytes));
  }

  public static String untilNul(String text) {
    int nul = text.indexOf(0);
    return nul < 0 ? text : text.substring(0, nul);
  }

  /**
   * Prepares an error line for the wire: trailing line breaks are removed, others become spaces.
   */
  public static String errorLine(String text) {
    return oneLine(withoutLineEnds(text));
  }

  /** Removes trailing line breaks. */
  public static String withoutLineEnds(String text) {
    int end = text.length();
    while (end > 0 && isLineEnd(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end);
  }

  public static boolean isLineEnd(char c) {
    return c == '\r' || c == '\n';
  }

  /** Replaces line breaks by spaces, as required outside of bulk strings. */
  public static String oneLine(String text) {
    return text.replace('\r', ' ').replace('\n', ' ');
  }

  public static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String lower(byte[] bytes) {
    return text(bytes).toLowerCase(Locale.ROOT);
  }

  /** Compares with an upper-case keyword, ignoring case. */
  public static boolean is(byte[] bytes, String upper) {
    if (bytes.length != upper.length()) {
      return false;
    }
    for (int i = 0; i < bytes.length; i++) {
      int b = bytes[i];
      if (b >= 'a' && b <= 'z') {
        b -= 'a' - 'A';
      }
      if (b != upper.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the digest of the concatenated parts in hexadecimal. */
  public static String digest(String algorithm, byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      for (byte[] part : parts) {
        digest.update(part);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has " + algorithm, e);
    }
  }

  public static byte[] ofLong(long value) {
    return value >= 0 && value < SMALL.length ? SMALL[(int) value] : latin(Long.toString(value));
  }

  private static final byte[][] SMALL = new byte[10_000][];

  static {
    for (int i = 0; i < SMALL.length; i++) {
      SMALL[i] = latin(Integer.toString(i));
    }
  }
}
