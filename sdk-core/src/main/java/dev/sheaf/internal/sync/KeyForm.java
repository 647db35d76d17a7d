// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How a key is read as text, in which the ids of a list can be found, and made of text again. Bytes
 * are read one for one.
 */
enum KeyForm {
  /** A string. */
  TEXT {
    @Override
    Object key(String text) {
      return text;
    }
  },

  /** The bytes of a string. */
  BYTES {
    @Override
    Object key(String text) {
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }
  },

  /** A string as Java serializes it: the length stands before it. */
  SERIALIZED {
    @Override
    Object key(String text) {
      byte[] key = (JAVA_STRING + "  " + text).getBytes(StandardCharsets.ISO_8859_1);
      key[JAVA_STRING.length()] = (byte) (text.length() >> 8);
      key[JAVA_STRING.length() + 1] = (byte) text.length();
      return key;
    }
  };

  /** Longer ones are not followed: 512 characters. */
  static final int MAX_LENGTH = 512;

  /** How a serialized string begins: magic, version, and that it is a string. */
  private static final String JAVA_STRING = "\u00ac\u00ed\u0000\u0005t";

  /** The key that this text is. */
  abstract Object key(String text);

  /** The form of a key; null if it is none of these. */
  static @Nullable KeyForm of(Object key) {
    if (key instanceof String) {
      return TEXT;
    }
    return key instanceof byte[] bytes ? isSerialized(bytes) ? SERIALIZED : BYTES : null;
  }

  /** The text of a key, of an element of a list, or of an argument; null if it has none. */
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
