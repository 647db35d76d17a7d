// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of keys to text, in which the ids of a list can be found, and back. Bytes are
 * converted one to one.
 */
enum KeyForm {
  /** A string. */
  TEXT {
    @Override
    Object key(String text) {
      return text;
    }
  },

  /** A string as bytes. */
  BYTES {
    @Override
    Object key(String text) {
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }
  },

  /** A string in Java serialization, with its length in front. */
  SERIALIZED {
    @Override
    Object key(String text) {
      byte[] key = (JAVA_STRING + "  " + text).getBytes(StandardCharsets.ISO_8859_1);
      key[JAVA_STRING.length()] = (byte) (text.length() >> 8);
      key[JAVA_STRING.length() + 1] = (byte) text.length();
      return key;
    }
  };

  /** Longer texts are not followed: 512 characters. */
  static final int MAX_LENGTH = 512;

  /** The header of a serialized string: magic, version, and type. */
  private static final String JAVA_STRING = "\u00ac\u00ed\u0000\u0005t";

  /** Converts text to a key. */
  abstract Object key(String text);

  /** Returns the form of a key; null if it has none of these. */
  static @Nullable KeyForm of(Object key) {
    if (key instanceof String) {
      return TEXT;
    }
    return key instanceof byte[] bytes ? isSerialized(bytes) ? SERIALIZED : BYTES : null;
  }

  /** Returns the text of a key, of a list element, or of an argument; null if it has none. */
  static @Nullable String textOf(@Nullable Object value) {
    if (value instanceof String text) {
      return text.length() > MAX_LENGTH ? null : text;
    }
    if (value instanceof byte[] bytes) {
      if (bytes.length > MAX_LENGTH) {
        return null;
      }
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      return isSerialized(bytes) ? text.substring(JAVA_STRING.length() + 2) : text;
    }
    return value instanceof Long || value instanceof Integer ? value.toString() : null;
  }

  private static boolean isSerialized(byte[] bytes) {
    int header = JAVA_STRING.length();
    if (bytes.length < header + 2) {
      return false;
    }
    for (int i = 0; i < header; i++) {
      if ((char) (bytes[i] & 0xff) != JAVA_STRING.charAt(i)) {
        return false;
      }
    }
    int length = ((bytes[header] & 0xff) << 8) | (bytes[header + 1] & 0xff);
    return length == bytes.length - header - 2;
  }
}
