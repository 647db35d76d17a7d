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
 * Where a handler puts its answer, in terms of RESP3; the implementation says it in the protocol of
 * the client. An aggregate announces its size, then its elements follow.
 */
public interface Reply {
  /** 2 or 3. */
  int protocol();

  /** A simple string; no line breaks. */
  void status(String text);

  /** The whole error line with its code, without the leading minus. */
  void error(String line);

  void integer(long value);

  void bulk(byte[] bytes);

  void nil();

  /** Nil where an array was expected: another form in RESP2. */
  void nilArray();

  /** {@code kind} is the first byte of the aggregate in RESP3. */
  void open(char kind, int size);

  default void array(int elements) {
    open('*', elements);
  }

  /** In RESP2 an array of twice the size. */
  default void map(int pairs) {
    open('%', pairs);
  }

  /** In RESP2 an array. */
  default void set(int elements) {
    open('~', elements);
  }

  /** Out-of-band data; in RESP2 an array. */
  default void push(int elements) {
    open('>', elements);
  }

  /** In RESP2 a bulk string. */
  void number(double value);

  /** Digits of a type of that kind in RESP3; in RESP2 a bulk string. */
  void digits(char kind, String digits);

  /** A number given in digits; in RESP2 a bulk string. */
  default void decimal(String digits) {
    digits(',', digits);
  }

  /** In RESP2 the integers 1 and 0. */
  void bool(boolean value);

  /** Text for people; in RESP2 a bulk string. */
  void verbatim(byte[] text);

  /** A big number given in digits; in RESP2 a bulk string. */
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

  /** Begins a pair of a map: its value is written to what this returns. */
  default Reply key(String name) {
    bulk(name);
    return this;
  }

  default void bulks(Collection<byte[]> all) {
    each(all, this::bulk);
  }

  /** An array; what writes one element is called for each. */
  default <T extends @Nullable Object> void each(Collection<T> all, Consumer<? super T> element) {
    array(all.size());
    all.forEach(element);
  }

  /** An array of what {@link #value} takes. */
  default void list(Object... values) {
    each(List.of(values), this::value);
  }

  /** What can write itself to a reply. */
  interface Part {
    void writeTo(Reply out);
  }

  /**
   * Null for nil, a text or bytes as a bulk string, a number, a boolean, an error as {@link
   * CommandException}, a {@link Part}, or a list, set or map of such.
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

  /** What is written of a value, or nil where there is none. */
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
