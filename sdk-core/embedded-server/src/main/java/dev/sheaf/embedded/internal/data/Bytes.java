// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Byte strings as Redis sees them: binary, with ASCII keywords compared without case. */
public final class Bytes {
  public static final byte[] EMPTY = new byte[0];

  private Bytes() {}

  public static byte[] of(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** One char per byte, so that nothing is lost when the text is written back. */
  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** The text C sees: up to the first NUL. */
  public static String untilNul(byte[] bytes) {
    return untilNul(text(bytes));
  }

  public static String untilNul(String text) {
    int nul = text.indexOf(0);
    return nul < 0 ? text : text.substring(0, nul);
  }

  /** As an error goes over the wire: line breaks at the end go, others become blanks. */
  public static String errorLine(String text) {
    return oneLine(withoutLineEnds(text));
  }

  /** Without line breaks at the end. */
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

  /** With blanks for line breaks, as what is no bulk string goes over the wire. */
  public static String oneLine(String text) {
    return text.replace('\r', ' ').replace('\n', ' ');
  }

  public static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String lower(byte[] bytes) {
    return text(bytes).toLowerCase(Locale.ROOT);
  }

  /** Compares with a keyword written in upper case. */
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

  /** The digest of all parts together, in hexadecimal digits. */
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
