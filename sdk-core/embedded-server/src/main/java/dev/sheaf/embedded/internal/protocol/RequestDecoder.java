// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into requests: RESP arrays of bulk strings, or inline lines. The parsed
 * part of an unfinished request is kept and not parsed again. Memory grows with the bytes that have
 * arrived, not with the lengths that a client claims.
 */
public final class RequestDecoder {
  private static final int BIG = 32 * 1024;

  /** From this size, an unfinished request is moved out of the scratch array. */
  private static final int SMALL_REST = 2 * 1024;

  private static final int FIRST_ARGUMENTS = 64;
  private static final int REFERENCE = 4;

  private final BufferPool pool;
  private boolean trusted;

  private byte[] buffer = Bytes.EMPTY;
  private int at;
  private int end;

  private int wanted;
  private byte[][] args = {};
  private int have;
  private int bulkLength = -1;
  private byte @Nullable [] big;
  private int bigHave;

  public RequestDecoder(BufferPool pool) {
    this.pool = pool;
  }

  /** Whether the client has authenticated; before that, tighter limits apply. */
  public void trusted(boolean yes) {
    trusted = yes;
  }

  public int pendingBytes() {
    return end - at;
  }

  public void feed(ByteBuf in) {
    int more = in.readableBytes();
    if (at == end) {
      at = 0;
      end = 0;
    }
    if (buffer.length - end < more) {
      makeRoom(more);
    }
    in.readBytes(buffer, end, more);
    end += more;
  }

  private void makeRoom(int more) {
    int kept = end - at;
    byte[] target = buffer;
    if (kept + more > buffer.length) {
      target =
          kept + more <= BufferPool.SIZE
              ? pool.take()
              : new byte[Math.max(kept + more, 2 * BufferPool.SIZE)];
    }
    System.arraycopy(buffer, at, target, 0, kept);
    if (target != buffer) {
      pool.give(buffer);
      buffer = target;
    }
    at = 0;
    end = kept;
  }

  /** Releases the scratch array if little is left in it. */
  public void rest() {
    int kept = end - at;
    if (kept <= SMALL_REST && buffer.length > SMALL_REST) {
      byte[] small = kept == 0 ? Bytes.EMPTY : Arrays.copyOfRange(buffer, at, end);
      pool.give(buffer);
      buffer = small;
      at = 0;
      end = kept;
    }
  }

  /** Returns the array bytes held for an unfinished request. */
  long heldBytes() {
    long held = buffer.length + (big == null ? 0 : big.length) + (long) REFERENCE * args.length;
    for (int i = 0; i < have && i < args.length; i++) {
      held += args[i].length;
    }
    return held;
  }

  /** Returns the next complete request; null until more bytes arrive. Never an empty array. */
  public byte @Nullable [][] next() throws ProtocolException {
    while (true) {
      if (wanted == 0) {
        if (at == end) {
          return null;
        }
        if (buffer[at] != '*') {
          byte[][] inline = inline();
          if (inline == null || inline.length > 0) {
            return inline;
          }
          continue;
        }
        if (!arrayHead()) {
          return null;
        }
        if (wanted == 0) {
          continue;
        }
      }
      if (!arguments()) {
        return null;
      }
      byte[][] complete = args.length == have ? args : Arrays.copyOf(args, have);
      wanted = 0;
      args = new byte[0][];
      return complete;
    }
  }

  private boolean arrayHead() throws ProtocolException {
    int line = lineEnd("too big mbulk count string");
    if (line < 0) {
      return false;
    }
    long count = number(at + 1, line);
    ProtocolException.when(
        count == NOT_A_NUMBER || count > Limits.MAX_ARGUMENTS, "invalid multibulk length");
    ProtocolException.when(
        !trusted && count > Limits.MAX_ARGUMENTS_BEFORE_AUTH, "unauthenticated multibulk length");
    at = line + 2;
    if (count > 0) {
      wanted = (int) count;
      have = 0;
      args = new byte[Math.min(wanted, FIRST_ARGUMENTS)][];
    }
    return true;
  }

  private boolean arguments() throws ProtocolException {
    while (have < wanted) {
      if (bulkLength < 0 && !bulkHead()) {
        return false;
      }
      byte[] arg = bulkLength >= BIG ? bigBulk() : smallBulk();
      if (arg == null) {
        return false;
      }
      if (have == args.length) {
        args = Arrays.copyOf(args, (int) Math.min(wanted, have * 2L));
      }
      args[have++] = arg;
      bulkLength = -1;
    }
    return true;
  }

  private boolean bulkHead() throws ProtocolException {
    int line = lineEnd("too big bulk count string");
    if (line < 0) {
      return false;
    }
    if (buffer[at] != '$') {
      throw new ProtocolException("expected '$', got '" + (char) (buffer[at] & 0xff) + "'");
    }
    long length = number(at + 1, line);
    ProtocolException.when(
        length == NOT_A_NUMBER || length < 0 || length > Limits.MAX_BULK, "invalid bulk length");
    ProtocolException.when(
        !trusted && length > Limits.MAX_BULK_BEFORE_AUTH, "unauthenticated bulk length");
    at = line + 2;
    bulkLength = (int) length;
    return true;
  }

  private byte @Nullable [] smallBulk() {
    if (end - at < bulkLength + 2) {
      return null;
    }
    byte[] arg = Arrays.copyOfRange(buffer, at, at + bulkLength);
    at += bulkLength + 2;
    return arg;
  }

  private byte @Nullable [] bigBulk() {
    byte[] target = big;
    if (target == null) {
      target = new byte[Math.min(bulkLength, end - at)];
      bigHave = 0;
    }
    int take = Math.min(end - at, bulkLength - bigHave);
    if (bigHave + take > target.length) {
      long doubled = Math.max(2L * target.length, bigHave + take);
      target = Arrays.copyOf(target, (int) Math.min(bulkLength, doubled));
    }
    System.arraycopy(buffer, at, target, bigHave, take);
    at += take;
    bigHave += take;
    big = target;
    if (bigHave < bulkLength || end - at < 2) {
      return null;
    }
    at += 2;
    big = null;
    return target;
  }

  /** Returns the index of the line's CR once its LF has arrived; -1 before. */
  private int lineEnd(String tooLong) throws ProtocolException {
    for (int i = at; i < end - 1; i++) {
      if (buffer[i] == '\r') {
        return i;
      }
    }
    if (end - at > Limits.MAX_LINE) {
      throw new ProtocolException(tooLong);
    }
    return -1;
  }

  private static final long NOT_A_NUMBER = Long.MIN_VALUE;

  /** The most digits of numbers that are parsed in place: no overflow possible. */
  private static final int SHORT_NUMBER = 9;

  private long number(int from, int to) {
    if (to > from && to - from <= SHORT_NUMBER && buffer[from] != '0') {
      long number = 0;
      int i = from;
      for (; i < to && buffer[i] >= '0' && buffer[i] <= '9'; i++) {
        number = number * 10 + (buffer[i] - '0');
      }
      if (i == to) {
        return number;
      }
    }
    Long value = Numbers.parseLong(Arrays.copyOfRange(buffer, from, to));
    return value == null ? NOT_A_NUMBER : value;
  }

  private byte @Nullable [][] inline() throws ProtocolException {
    int lf = at;
    while (lf < end && buffer[lf] != '\n') {
      lf++;
    }
    if (lf == end) {
      ProtocolException.when(end - at > Limits.MAX_LINE, "too big inline request");
      return null;
    }
    int lineEnd = lf > at && buffer[lf - 1] == '\r' ? lf - 1 : lf;
    byte[] line = Arrays.copyOfRange(buffer, at, lineEnd);
    at = lf + 1;
    return InlineWords.split(line);
  }
}
