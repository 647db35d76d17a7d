// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.StringValue;

/** SETBIT and the other bitmap commands. */
final class BitmapCommands {
  private static final long MAX_BITS = 512L * 1024 * 1024 * 8;

  static void register(Handlers handlers) {
    handlers
        .add("bitcount", BitmapCommands::bitCount)
        .add("bitfield", BitfieldCommand::run)
        .add("bitfield_ro", BitfieldCommand::run)
        .add("bitop", BitmapCommands::bitOp)
        .add("bitpos", BitmapCommands::bitPos)
        .add("getbit", BitmapCommands::getBit)
        .add("setbit", BitmapCommands::setBit);
  }

  private static long offset(Call call, int at) {
    return call.longArg(at, 0, MAX_BITS - 1, "ERR bit offset is not an integer or out of range");
  }

  private static void setBit(Call call) {
    long offset = offset(call, 2);
    long bit = call.longArg(3, 0, 1, "ERR bit is not an integer or out of range");
    byte[] key = call.arg(1);
    StringValue known = call.string(key);
    int length = known == null ? -1 : known.length();
    StringValue value = call.orNew(key, known, () -> new StringValue(Bytes.EMPTY));
    int index = (int) (offset >>> 3);
    int mask = 0x80 >>> (offset & 7);
    byte[] bytes = value.edit(index + 1);
    int old = (bytes[index] & mask) == 0 ? 0 : 1;
    bytes[index] = (byte) (bit == 1 ? bytes[index] | mask : bytes[index] & ~mask);
    if (old != bit || value.length() != length) {
      call.changed(key);
    }
    call.out.integer(old);
  }

  private static void getBit(Call call) {
    long offset = offset(call, 2);
    StringValue value = call.string(call.arg(1));
    int index = (int) (offset >>> 3);
    if (value == null || index >= value.length()) {
      call.out.integer(0);
    } else {
      call.out.integer(bit(value, offset));
    }
  }

  /** A range of bits; {@code to} is exclusive. */
  private record Bits(long from, long to) {}

  private static Bits range(Call call, int from, int length, boolean bitUnits, boolean hasEnd) {
    long total = bitUnits ? length * 8L : length;
    long start = call.longArg(from);
    long end = hasEnd ? call.longArg(from + 1) : total - 1;
    start = Math.max(0, start < 0 ? start + total : start);
    end = Math.min(total - 1, Math.max(0, end < 0 ? end + total : end));
    if (start > end) {
      return new Bits(0, 0);
    }
    return bitUnits ? new Bits(start, end + 1) : new Bits(start * 8, (end + 1) * 8);
  }

  private static boolean unit(Call call, int at) {
    return call.count() > at && call.either(at, "BIT", "BYTE");
  }

  /** Newer servers check the range before they look up the key. */
  private static void checkRange(Call call, int from) {
    if (!call.node.edition().isNewer()) {
      return;
    }
    Errors.syntaxIf(call.count() > from + 3);
    for (int i = from; i < Math.min(call.count(), from + 2); i++) {
      call.longArg(i);
    }
    unit(call, from + 2);
  }

  private static void bitCount(Call call) {
    boolean toTheEnd = call.count() == 3 && call.node.edition().isValkey();
    Errors.syntaxIf(call.count() == 3 && !toTheEnd && call.node.edition().isNewer());
    if (call.count() == 5 && call.node.edition().isValkey()) {
      // The unit is checked before the end.
      call.longArg(2);
      unit(call, 4);
    }
    checkRange(call, 2);
    StringValue value = call.string(call.arg(1));
    if (value == null) {
      call.out.integer(0);
      return;
    }
    Errors.syntaxIf((call.count() == 3 && !toTheEnd) || call.count() > 5);
    if (call.count() > 2) {
      long start = call.longArg(2);
      long end = toTheEnd ? -1 : call.longArg(3);
      if (start < 0 && end < 0 && start > end) {
        call.out.integer(0);
        return;
      }
    }
    boolean bits = unit(call, 4);
    int length = value.length();
    Bits range =
        call.count() > 2 ? range(call, 2, length, bits, !toTheEnd) : new Bits(0, length * 8L);
    call.out.integer(count(value, range));
  }

  private static long count(StringValue value, Bits range) {
    long count = 0;
    long at = range.from();
    while (at < range.to()) {
      if ((at & 7) == 0 && at + 8 <= range.to()) {
        count += Integer.bitCount(value.byteAt((int) (at >>> 3)));
        at += 8;
      } else {
        count += bit(value, at++);
      }
    }
    return count;
  }

  private static int bit(StringValue value, long at) {
    return (value.byteAt((int) (at >>> 3)) >>> (7 - (at & 7))) & 1;
  }

  private static void bitPos(Call call) {
    long wanted = call.longArg(2);
    Errors.refuseIf(wanted != 0 && wanted != 1, "ERR The bit argument must be 1 or 0.");
    checkRange(call, 3);
    StringValue value = call.string(call.arg(1));
    if (value == null) {
      call.out.integer(wanted == 1 ? -1 : 0);
      return;
    }
    Errors.syntaxIf(call.count() > 6);
    boolean hasEnd = call.count() > 4;
    boolean bits = unit(call, 5);
    int length = value.length();
    Bits range = call.count() > 3 ? range(call, 3, length, bits, hasEnd) : new Bits(0, length * 8L);
    for (long at = range.from(); at < range.to(); at++) {
      if (bit(value, at) == wanted) {
        call.out.integer(at);
        return;
      }
    }
    boolean beyond = wanted == 0 && !hasEnd && range.from() < range.to();
    call.out.integer(beyond ? range.to() : -1);
  }

  private static void bitOp(Call call) {
    boolean and = call.is(1, "AND");
    boolean or = call.is(1, "OR");
    boolean not = call.is(1, "NOT");
    Errors.syntaxIf(!and && !or && !not && !call.is(1, "XOR"));
    Errors.refuseIf(
        not && call.count() != 4, "ERR BITOP NOT must be called with a single source key.");
    byte[][] sources = new byte[call.count() - 3][];
    int longest = 0;
    for (int i = 0; i < sources.length; i++) {
      StringValue value = call.string(call.arg(i + 3));
      sources[i] = value == null ? Bytes.EMPTY : value.bytes();
      longest = Math.max(longest, sources[i].length);
    }
    if (longest == 0) {
      call.delete(call.arg(2));
      call.out.integer(0);
      return;
    }
    byte[] result = new byte[longest];
    for (int at = 0; at < longest; at++) {
      int bits = byteAt(sources[0], at);
      for (int i = 1; i < sources.length; i++) {
        int other = byteAt(sources[i], at);
        bits = and ? bits & other : or ? bits | other : bits ^ other;
      }
      result[at] = (byte) (not ? ~bits : bits);
    }
    call.store(call.arg(2), StringValue.raw(result));
    call.out.integer(longest);
  }

  private static int byteAt(byte[] bytes, int at) {
    return at < bytes.length ? bytes[at] : 0;
  }
}
