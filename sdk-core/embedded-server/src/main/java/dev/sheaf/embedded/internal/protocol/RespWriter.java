// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes replies as RESP2 or RESP3 bytes. Small replies are collected in a scratch array until
 * {@link #drain}; a long bulk string is passed to the socket without a copy.
 */
public final class RespWriter implements Reply {
  private static final int UNCOPIED = BufferPool.SIZE / 2;
  private static final byte[] CRLF = Bytes.latin("\r\n");
  private static final byte[][] BULK_HEADS = new byte[1024][];
  private static final byte[][] ARRAY_HEADS = new byte[64][];

  static {
    for (int i = 0; i < BULK_HEADS.length; i++) {
      BULK_HEADS[i] = Bytes.latin("$" + i + "\r\n");
    }
    for (int i = 0; i < ARRAY_HEADS.length; i++) {
      ARRAY_HEADS[i] = Bytes.latin("*" + i + "\r\n");
    }
  }

  private static final byte[] OK = Bytes.latin("+OK\r\n");
  private static final byte[] NIL_2 = Bytes.latin("$-1\r\n");
  private static final byte[] NIL_ARRAY_2 = Bytes.latin("*-1\r\n");
  private static final byte[] NIL_3 = Bytes.latin("_\r\n");

  private final BufferPool pool;
  private final Runnable onFirstByte;
  private final Consumer<ByteBuf> sink;
  private byte @Nullable [] buffer;
  private int at;
  private final Edition edition;
  private int protocol = 2;

  /** {@code onFirstByte} runs when the first byte after a drain is written. */
  public RespWriter(
      BufferPool pool, Edition edition, Runnable onFirstByte, Consumer<ByteBuf> sink) {
    this.pool = pool;
    this.edition = edition;
    this.onFirstByte = onFirstByte;
    this.sink = sink;
  }

  public void protocol(int version) {
    protocol = version;
  }

  /** Passes everything to the sink and releases the scratch array. */
  public void drain() {
    byte[] full = buffer;
    if (full != null) {
      spill(full);
      pool.give(full);
      buffer = null;
    }
  }

  public void discard() {
    byte[] full = buffer;
    if (full != null) {
      pool.give(full);
      buffer = null;
      at = 0;
    }
  }

  private void spill(byte[] full) {
    if (at > 0) {
      sink.accept(Unpooled.wrappedBuffer(full, 0, at));
      at = 0;
    }
  }

  private byte[] room(int bytes) {
    byte[] target = buffer;
    if (target == null) {
      target = pool.take();
      buffer = target;
      at = 0;
      onFirstByte.run();
    } else if (target.length - at < bytes) {
      spill(target);
    }
    return target;
  }

  private void raw(byte[] bytes) {
    if (bytes.length > BufferPool.SIZE) {
      spill(room(BufferPool.SIZE));
      sink.accept(Unpooled.wrappedBuffer(bytes));
      return;
    }
    byte[] target = room(bytes.length);
    System.arraycopy(bytes, 0, target, at, bytes.length);
    at += bytes.length;
  }

  private void head(char kind, long number) {
    byte[] digits = Bytes.ofLong(number);
    byte[] target = room(digits.length + 3);
    target[at++] = (byte) kind;
    System.arraycopy(digits, 0, target, at, digits.length);
    at += digits.length;
    target[at++] = '\r';
    target[at++] = '\n';
  }

  private void line(char kind, String text) {
    raw(Bytes.latin(kind + text + "\r\n"));
  }

  @Override
  public int protocol() {
    return protocol;
  }

  @Override
  public void ok() {
    raw(OK);
  }

  @Override
  public void status(String text) {
    line('+', text);
  }

  @Override
  public void error(String line) {
    line('-', Bytes.errorLine(line));
  }

  @Override
  public void integer(long value) {
    head(':', value);
  }

  @Override
  public void bulk(byte[] bytes) {
    int length = bytes.length;
    if (length < BULK_HEADS.length) {
      byte[] head = BULK_HEADS[length];
      byte[] target = room(head.length + length + 2);
      int p = at;
      System.arraycopy(head, 0, target, p, head.length);
      p += head.length;
      System.arraycopy(bytes, 0, target, p, length);
      p += length;
      target[p++] = '\r';
      target[p++] = '\n';
      at = p;
      return;
    }
    head('$', length);
    if (length < UNCOPIED) {
      raw(bytes);
    } else {
      spill(room(0));
      sink.accept(Unpooled.wrappedBuffer(bytes));
    }
    raw(CRLF);
  }

  @Override
  public void nil() {
    raw(protocol == 3 ? NIL_3 : NIL_2);
  }

  @Override
  public void nilArray() {
    raw(protocol == 3 ? NIL_3 : NIL_ARRAY_2);
  }

  @Override
  public void open(char kind, int size) {
    if (kind == '*' && size < ARRAY_HEADS.length) {
      raw(ARRAY_HEADS[size]);
    } else if (protocol == 3) {
      head(kind, size);
    } else {
      head('*', kind == '%' ? 2L * size : size);
    }
  }

  @Override
  public void number(double value) {
    decimal(edition.number(value));
  }

  @Override
  public void digits(char kind, String digits) {
    if (protocol == 3) {
      line(kind, digits);
    } else {
      bulk(Bytes.latin(digits));
    }
  }

  @Override
  public void bool(boolean value) {
    if (protocol == 3) {
      line('#', value ? "t" : "f");
    } else {
      integer(value ? 1 : 0);
    }
  }

  @Override
  public void verbatim(byte[] text) {
    if (protocol == 3) {
      head('=', text.length + 4L);
      raw(Bytes.latin("txt:"));
      raw(text);
      raw(CRLF);
    } else {
      bulk(text);
    }
  }
}
