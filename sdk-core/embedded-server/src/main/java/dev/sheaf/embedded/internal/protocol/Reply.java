// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Collection;

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

  void array(int elements);

  /** In RESP2 an array of twice the size. */
  void map(int pairs);

  /** In RESP2 an array. */
  void set(int elements);

  /** Out-of-band data; in RESP2 an array. */
  void push(int elements);

  /** In RESP2 a bulk string. */
  void number(double value);

  /** A number given in digits; in RESP2 a bulk string. */
  void decimal(String digits);

  /** In RESP2 the integers 1 and 0. */
  void bool(boolean value);

  /** Text for people; in RESP2 a bulk string. */
  void verbatim(byte[] text);

  /** A big number given in digits; in RESP2 a bulk string. */
  void bigNumber(String digits);

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
    array(all.size());
    all.forEach(this::bulk);
  }

  default void bulkOrNil(byte @org.jspecify.annotations.Nullable [] bytes) {
    if (bytes == null) {
      nil();
    } else {
      bulk(bytes);
    }
  }
}
