// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.Value;
import io.lettuce.core.ValueScanCursor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A list of ids that arrived in one reply, or the keys of an earlier loop. The keys of a later loop
 * may be made of them. Immutable.
 */
final class ReadList {

  /** The most elements that are kept of a list. */
  static final int MAX_ELEMENTS = 10_000;

  /** The fewest elements of a useful list. */
  static final int MIN_ELEMENTS = 4;

  /** Longer texts are not parsed as JSON: 256 Ki characters. */
  private static final int MAX_JSON_LENGTH = 256 << 10;

  /** The description of keys of earlier loops. */
  private static final String KEYS_BEFORE = "the keys of the loop before";

  private final String name;
  private final long readAtNanos = System.nanoTime();
  private final List<@Nullable String> elements;

  /** Created at first use. */
  private volatile @Nullable Map<String, Integer> places;

  private ReadList(String name, List<@Nullable String> elements) {
    this.name = name;
    this.elements = elements;
  }

  /** Creates a list from the distinct keys of a loop. */
  static ReadList ofKeys(Collection<String> keys) {
    return new ReadList(KEYS_BEFORE, new ArrayList<>(keys));
  }

  boolean isOfKeys() {
    return name.equals(KEYS_BEFORE);
  }

  /**
   * Converts a reply to a list.
   *
   * @param command the command of the reply
   * @return null if the reply is no list, or a short one
   */
  static @Nullable ReadList of(String command, @Nullable Object reply) {
    if (reply instanceof String || reply instanceof byte[]) {
      List<@Nullable String> scalars = jsonScalars(reply);
      return scalars == null ? null : of("JSON of " + command, scalars);
    }
    Collection<?> collection = collectionIn(reply);
    return collection == null ? null : of(command, collection);
  }

  /**
   * Parses the strings and numbers of a JSON array. Returns null if the value is no array, or has
   * other elements or escapes.
   */
  private static @Nullable List<@Nullable String> jsonScalars(Object value) {
    String text;
    if (value instanceof byte[] bytes) {
      text =
          bytes.length < 2 || bytes[0] != '[' || bytes.length > MAX_JSON_LENGTH
              ? ""
              : new String(bytes, StandardCharsets.ISO_8859_1);
    } else {
      text = (String) value;
    }
    return text.length() < 2
            || text.length() > MAX_JSON_LENGTH
            || text.charAt(0) != '['
            || text.charAt(text.length() - 1) != ']'
        ? null
        : scalars(text);
  }

  private static @Nullable List<@Nullable String> scalars(String text) {
    List<@Nullable String> found = new ArrayList<>();
    int end = text.length() - 1;
    for (int i = 1; i < end && found.size() < MAX_ELEMENTS; ) {
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
      if (c == '\\' || c == '[' || c == '{' || (!quoted && c != '-' && (c < '0' || c > '9'))) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Collection<?> collectionIn(@Nullable Object reply) {
    if (reply instanceof Collection<?> collection) {
      return collection;
    }
    if (reply instanceof Map<?, ?> map) {
      return map.keySet();
    }
    if (reply instanceof KeyScanCursor<?> cursor) {
      return cursor.getKeys();
    }
    if (reply instanceof ValueScanCursor<?> cursor) {
      return cursor.getValues();
    }
    return reply instanceof MapScanCursor<?, ?> cursor ? cursor.getMap().keySet() : null;
  }

  private static @Nullable ReadList of(String command, Collection<?> reply) {
    if (reply.size() < MIN_ELEMENTS) {
      return null;
    }
    List<@Nullable String> elements = new ArrayList<>(Math.min(reply.size(), MAX_ELEMENTS));
    int texts = 0;
    for (Object element : reply) {
      String text =
          KeyForm.textOf(element instanceof Value<?> v ? v.getValueOrElse(null) : element);
      elements.add(unquoted(text));
      texts += text == null ? 0 : 1;
      // A reply that starts without ids will hardly end with some.
      if (elements.size() == MAX_ELEMENTS || (elements.size() == MIN_ELEMENTS && texts == 0)) {
        break;
      }
    }
    return texts < MIN_ELEMENTS ? null : new ReadList("the elements of " + command, elements);
  }

  /** Parses a JSON string. Returns it without quotes. */
  private static @Nullable String unquoted(@Nullable String text) {
    return text != null && text.length() > 2 && text.startsWith("\"") && text.endsWith("\"")
        ? text.substring(1, text.length() - 1)
        : text;
  }

  /** Describes the elements in words. */
  String name() {
    return name;
  }

  long readAtNanos() {
    return readAtNanos;
  }

  List<@Nullable String> elements() {
    return elements;
  }

  int size() {
    return elements.size();
  }

  /** Returns an element; null if it is not text. */
  @Nullable String get(int index) {
    return elements.get(index);
  }

  /** Returns the first index of an element, or -1. */
  int indexOf(String element) {
    Map<String, Integer> known = places;
    if (known == null) {
      known = new HashMap<>(2 * elements.size());
      for (int i = 0; i < elements.size(); i++) {
        String text = elements.get(i);
        if (text != null) {
          known.putIfAbsent(text, i);
        }
      }
      places = known;
    }
    return known.getOrDefault(element, -1);
  }
}
