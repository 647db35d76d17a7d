// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.ArrayList;
import java.util.List;

/** BITFIELD: integers of any width at any bit offset of a string. */
final class BitfieldCommand {
  private static final long MAX_BYTES = 512L * 1024 * 1024;
  private static final int MAX_WIDTH = 64;

  private enum Kind {
    GET,
    SET,
    INCRBY
  }

  private enum Overflow {
    WRAP,
    SAT,
    FAIL
  }

  private record Field(boolean signed, int width) {
    static Field parse(byte[] arg) {
      boolean signed = arg.length > 0 && arg[0] == 'i';
      Long width =
          arg.length > 1 && (signed || arg[0] == 'u')
              ? Numbers.parseLong(java.util.Arrays.copyOfRange(arg, 1, arg.length))
              : null;
      if (width == null || width < 1 || width > (signed ? MAX_WIDTH : MAX_WIDTH - 1)) {
        throw Errors.of(
            "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported"
                + " but i64 is.");
      }
      return new Field(signed, width.intValue());
    }

    long max() {
      return signed ? (1L << (width - 1)) - 1 : (1L << width) - 1;
    }

    long min() {
      return signed ? -(1L << (width - 1)) : 0;
    }

    long wrapped(long value) {
      int shift = MAX_WIDTH - width;
      return signed ? value << shift >> shift : value << shift >>> shift;
    }
  }

  private record Operation(Kind kind, Field field, long offset, long number, Overflow overflow) {}

  private final Call call;
  private final List<Operation> operations = new ArrayList<>();
  private long highestWrite = -1;

  private BitfieldCommand(Call call) {
    this.call = call;
  }

  static void run(Call call) {
    BitfieldCommand command = new BitfieldCommand(call);
    command.parse();
    Errors.refuseIf(
        command.highestWrite >= 0 && call.command.name().equals("bitfield_ro"),
        "ERR BITFIELD_RO only supports the GET subcommand");
    command.execute();
  }

  private void parse() {
    Overflow overflow = Overflow.WRAP;
    for (int i = 2; i < call.count(); i++) {
      int rest = call.count() - i - 1;
      if (call.is(i, "OVERFLOW") && rest >= 1) {
        overflow = call.constant(++i, Overflow.values(), "ERR Invalid OVERFLOW type specified");
        continue;
      }
      Kind kind;
      if (call.is(i, "GET") && rest >= 2) {
        kind = Kind.GET;
      } else if (call.is(i, "SET") && rest >= 3) {
        kind = Kind.SET;
      } else if (call.is(i, "INCRBY") && rest >= 3) {
        kind = Kind.INCRBY;
      } else {
        throw Errors.syntax();
      }
      Field field = Field.parse(call.arg(i + 1));
      long offset = offset(call.arg(i + 2), field.width());
      long number = kind == Kind.GET ? 0 : call.longArg(i + 3);
      if (kind != Kind.GET) {
        highestWrite = Math.max(highestWrite, offset + field.width() - 1);
      }
      operations.add(new Operation(kind, field, offset, number, overflow));
      i += kind == Kind.GET ? 2 : 3;
    }
  }

  private static long offset(byte[] arg, int width) {
    boolean counted = arg.length > 0 && arg[0] == '#';
    Long offset =
        Numbers.parseLong(counted ? java.util.Arrays.copyOfRange(arg, 1, arg.length) : arg);
    if (offset == null || offset < 0 || (counted && offset > Long.MAX_VALUE / width)) {
      throw outOfRange();
    }
    long bits = counted ? offset * width : offset;
    if (bits >> 3 >= MAX_BYTES) {
      throw outOfRange();
    }
    return bits;
  }

  private static CommandException outOfRange() {
    return Errors.of("ERR bit offset is not an integer or out of range");
  }

  private void execute() {
    byte[] key = call.arg(1);
    StringValue value = call.string(key);
    byte[] bytes = value == null ? Bytes.EMPTY : value.bytes();
    boolean changed = false;
    if (highestWrite >= 0) {
      value = call.orNew(key, value, () -> new StringValue(Bytes.EMPTY));
      int length = (int) (highestWrite >> 3) + 1;
      changed = length > value.length();
      bytes = value.edit(length);
    }
    call.out.array(operations.size());
    for (Operation operation : operations) {
      changed |= execute(operation, bytes);
    }
    if (changed) {
      call.changed(key);
    }
  }

  /** Whether the string has changed. */
  private boolean execute(Operation operation, byte[] bytes) {
    Field field = operation.field();
    long old = read(bytes, operation.offset(), field);
    if (operation.kind() == Kind.GET) {
      call.out.integer(old);
      return false;
    }
    long base = operation.kind() == Kind.SET ? operation.number() : old;
    long by = operation.kind() == Kind.SET ? 0 : operation.number();
    int direction = overflows(field, base, by);
    long next =
        direction == 0
            ? base + by
            : operation.overflow() == Overflow.SAT
                ? direction > 0 ? field.max() : field.min()
                : field.wrapped(base + by);
    if (direction != 0 && operation.overflow() == Overflow.FAIL) {
      call.out.nil();
      return false;
    }
    write(bytes, operation.offset(), field.width(), next);
    call.out.integer(operation.kind() == Kind.SET ? old : next);
    return next != old;
  }

  /** Returns 1 above, -1 below, and 0 within the range of the field. */
  private static int overflows(Field field, long base, long by) {
    if (!field.signed()) {
      if (Long.compareUnsigned(base, field.max()) > 0 || (by > 0 && by > field.max() - base)) {
        return 1;
      }
      return by < 0 && by < -base ? -1 : 0;
    }
    boolean whole = field.width() == MAX_WIDTH;
    if (base > field.max()
        || (!whole && by > field.max() - base)
        || (base >= 0 && by > 0 && by > field.max() - base)) {
      return 1;
    }
    boolean below =
        base < field.min()
            || (!whole && by < field.min() - base)
            || (base < 0 && by < 0 && by < field.min() - base);
    return below ? -1 : 0;
  }

  private static long read(byte[] bytes, long offset, Field field) {
    long value = 0;
    for (long at = offset; at < offset + field.width(); at++) {
      int index = (int) (at >> 3);
      int bit = index < bytes.length ? bytes[index] >> (7 - (at & 7)) & 1 : 0;
      value = value << 1 | bit;
    }
    return field.wrapped(value);
  }

  private static void write(byte[] bytes, long offset, int width, long value) {
    for (int i = 0; i < width; i++) {
      long at = offset + i;
      int mask = 0x80 >> (at & 7);
      boolean one = (value >>> (width - 1 - i) & 1) == 1;
      int index = (int) (at >> 3);
      bytes[index] = (byte) (one ? bytes[index] | mask : bytes[index] & ~mask);
    }
  }
}
