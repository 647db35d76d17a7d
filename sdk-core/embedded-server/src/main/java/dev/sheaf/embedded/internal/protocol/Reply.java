// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The target to which a command handler writes its reply, in terms of RESP3. The implementation
 * encodes it in the client's protocol. An aggregate is announced with its size, and its elements
 * follow.
 */
public interface Reply {
  /** 2 or 3. */
  int protocol();

  /** Writes a simple string without line breaks. */
  void status(String text);

  /** Writes a whole error line, code included, without the leading minus. */
  void error(String line);

  void integer(long value);

  void bulk(byte[] bytes);

  void nil();

  /** Writes nil in place of an array, which has another form in RESP2. */
  void nilArray();

  /** {@code kind} is the first byte of the aggregate in RESP3. */
  void open(char kind, int size);

  default void array(int elements) {
    open('*', elements);
  }

  /** Starts a map; in RESP2 an array of twice the size. */
  default void map(int pairs) {
    open('%', pairs);
  }

  /** Starts a set; in RESP2 an array. */
  default void set(int elements) {
    open('~', elements);
  }

  /** Starts a push message; in RESP2 an array. */
  default void push(int elements) {
    open('>', elements);
  }

  /** Writes verbatim text; in RESP2 a bulk string. */
  void number(double value);

  /** Writes digits with a RESP3 type; in RESP2 a bulk string. */
  void digits(char kind, String digits);

  /** Writes a double given as text; in RESP2 a bulk string. */
  default void decimal(String digits) {
    digits(',', digits);
  }

  /** Writes a boolean; in RESP2 the integers 1 and 0. */
  void bool(boolean value);

  /** Writes human-readable text; in RESP2 a bulk string. */
  void verbatim(byte[] text);

  /** Writes a big number given as text; in RESP2 a bulk string. */
  default void bigNumber(String digits) {
    digits('(', digits);
  }

  default void nil(boolean array) {
    if (array) {
      nilArray();
    } else {
      nil();
    }
  }

  default void ok() {
    status("OK");
  }

  default void bulk(String text) {
    bulk(Bytes.of(text));
  }

  /** Starts an entry of a map. Its value is written to the result. */
  default Reply key(String name) {
    bulk(name);
    return this;
  }

  default void bulks(Collection<byte[]> all) {
    each(all, this::bulk);
  }

  /** Writes an array with a function that writes one element. */
  default <T extends @Nullable Object> void each(Collection<T> all, Consumer<? super T> element) {
    array(all.size());
    all.forEach(element);
  }

  /** Writes an array of values that {@link #value} accepts. */
  default void list(Object... values) {
    each(List.of(values), this::value);
  }

  /** An object that writes itself to a reply. */
  interface Part {
    void writeTo(Reply out);
  }

  /**
   * Writes a value: null as nil, a string or bytes as a bulk string, a number, a boolean, an error
   * as {@link CommandException}, a {@link Part}, or a list, set or map of these.
   */
  default void value(@Nullable Object value) {
    if (value == null) {
      nil();
    } else if (value instanceof byte[] bytes) {
      bulk(bytes);
    } else if (value instanceof String text) {
      bulk(text);
    } else if (value instanceof Double number) {
      number(number);
    } else if (value instanceof Number number) {
      integer(number.longValue());
    } else if (value instanceof Part part) {
      part.writeTo(this);
    } else if (value instanceof List<?> list) {
      each(list, this::value);
    } else if (value instanceof Set<?> set) {
      set(set.size());
      set.forEach(this::value);
    } else if (value instanceof Map<?, ?> map) {
      map(map.size());
      map.forEach(
          (key, item) -> {
            value(key);
            value(item);
          });
    } else if (value instanceof Boolean yes) {
      bool(yes);
    } else if (value instanceof CommandException error) {
      error(error.line());
    } else {
      throw new IllegalStateException("there is no reply for a " + value.getClass().getName());
    }
  }

  default void texts(Map<String, String> pairs) {
    map(pairs.size());
    pairs.forEach((key, value) -> key(key).bulk(value));
  }

  default void pushed(byte[]... parts) {
    push(parts.length);
    for (byte[] part : parts) {
      bulk(part);
    }
  }

  /** Writes a property of a value, or nil without a value. */
  default <T> void orNil(@Nullable T value, Consumer<? super T> written) {
    if (value == null) {
      nil();
    } else {
      written.accept(value);
    }
  }

  default void bulkOrNil(byte @Nullable [] bytes) {
    if (bytes == null) {
      nil();
    } else {
      bulk(bytes);
    }
  }
}
