package dev.sheaf.internal.sync;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the strings and numbers of a JSON array, if it has nothing else and no escapes. */
final class JsonScalars {

  /** Longer texts are not looked at: 256 Ki characters. */
  private static final int MAX_LENGTH = 256 << 10;

  private JsonScalars() {}

  /** The scalars of a value; null if it is no such array. */
  static @Nullable List<@Nullable String> in(Object value) {
    String text;
    if (value instanceof byte[] bytes) {
      text =
          bytes.length < 2 || bytes[0] != '[' || bytes.length > MAX_LENGTH
              ? ""
              : new String(bytes, StandardCharsets.ISO_8859_1);
    } else {
      text = (String) value;
    }
    return text.length() < 2
            || text.length() > MAX_LENGTH
            || text.charAt(0) != '['
            || text.charAt(text.length() - 1) != ']'
        ? null
        : scalars(text);
  }

  private static @Nullable List<@Nullable String> scalars(String text) {
    List<@Nullable String> found = new ArrayList<>();
    int end = text.length() - 1;
    for (int i = 1; i < end && found.size() < ReadList.MAX_ELEMENTS; ) {
      int comma = text.indexOf(',', i);
      int stop = comma < 0 ? end : comma;
      String scalar = text.substring(i, stop).strip();
      if (!isScalar(scalar)) {
        return null;
      }
      found.add(scalar);
      i = stop + 1;
    }
    return found;
  }

  private static boolean isScalar(String scalar) {
    if (scalar.isEmpty()) {
      return false;
    }
    boolean quoted = scalar.charAt(0) == '"';
    if (quoted && (scalar.length() < 2 || scalar.indexOf('"', 1) != scalar.length() - 1)) {
      return false;
    }
    for (int i = 0; i < scalar.length(); i++) {
      char c = scalar.charAt(i);
      if (c == '\\' || c == '[' || c == '{' || !quoted && c != '-' && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }
}
