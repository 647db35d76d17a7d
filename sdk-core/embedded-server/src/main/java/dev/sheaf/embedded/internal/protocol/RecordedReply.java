// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply in memory: its parts in wire order, with the head of an aggregate before its elements. It
 * can be written to another reply, and read by code in this JVM, such as a script.
 */
public final class RecordedReply implements Reply, Reply.Part {

  /** The head of an aggregate. */
  public static final class Head implements Part {
    /** The type, as its first byte in RESP3. */
    public final char kind;

    /** How many elements follow; in a map or an attribute, keys and values both count. */
    public int elements;

    Head(char kind, int elements) {
      this.kind = kind;
      this.elements = elements;
    }

    @Override
    public void writeTo(Reply out) {
      out.open(kind, hasPairs(kind) ? elements / 2 : elements);
    }
  }

  /**
   * Text other than a bulk string.
   *
   * @param kind the first byte in RESP3: of a status, an error, a big number or verbatim text
   * @param text one char per byte
   */
  public record Text(char kind, String text) implements Part {
    @Override
    public void writeTo(Reply out) {
      switch (kind) {
        case '+' -> out.status(text);
        case '-' -> out.error(text);
        case '(' -> out.bigNumber(text);
        default -> out.verbatim(Bytes.latin(text));
      }
    }
  }

  private final int protocol;
  private final Edition edition;
  // Most replies are one value.
  private final ArrayList<@Nullable Object> parts = new ArrayList<>(1);

  public RecordedReply(int protocol, Edition edition) {
    this.protocol = protocol;
    this.edition = edition;
  }

  /** The parts: byte[], Long, Double, Boolean, {@link Text}, {@link Head}, or null for nil. */
  public List<@Nullable Object> parts() {
    if (parts.isEmpty()) {
      // Some commands have no reply, such as CLIENT REPLY OFF.
      nil();
    }
    return parts;
  }

  /** The error line; null if this reply is not an error. */
  public @Nullable String errorLine() {
    return parts().get(0) instanceof Text text && text.kind == '-' ? text.text : null;
  }

  @Override
  public void writeTo(Reply out) {
    parts.forEach(out::value);
  }

  private static boolean hasPairs(char kind) {
    return kind == '%' || kind == '|';
  }

  /** Opens an aggregate. Its size can be set later. */
  public Head head(char kind, int elements) {
    Head head = new Head(kind, elements);
    parts.ensureCapacity(parts.size() + elements + 1);
    parts.add(head);
    return head;
  }

  @Override
  public void open(char kind, int size) {
    head(protocol == 3 ? kind : '*', hasPairs(kind) ? 2 * size : size);
  }

  @Override
  public int protocol() {
    return protocol;
  }

  @Override
  public void status(String text) {
    parts.add(new Text('+', text));
  }

  @Override
  public void error(String line) {
    parts.add(new Text('-', line));
  }

  @Override
  public void integer(long number) {
    parts.add(number);
  }

  @Override
  public void bulk(byte[] bytes) {
    parts.add(bytes);
  }

  @Override
  public void nil() {
    parts.add(null);
  }

  @Override
  public void nilArray() {
    nil();
  }

  @Override
  public void number(double number) {
    parts.add(protocol == 3 ? (Object) number : Bytes.latin(edition.number(number)));
  }

  @Override
  public void digits(char kind, String digits) {
    if (protocol == 2) {
      bulk(Bytes.latin(digits));
    } else {
      parts.add(kind == ',' ? (Object) Double.valueOf(digits) : new Text(kind, digits));
    }
  }

  @Override
  public void bool(boolean yes) {
    parts.add(protocol == 3 ? (Object) yes : (Object) (yes ? 1L : 0L));
  }

  @Override
  public void verbatim(byte[] text) {
    parts.add(protocol == 3 ? new Text('=', Bytes.text(text)) : text);
  }
}
