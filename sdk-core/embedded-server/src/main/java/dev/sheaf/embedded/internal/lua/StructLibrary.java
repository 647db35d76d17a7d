// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The struct table: values in the layout of C structures, sizes as on a 64-bit little endian. */
final class StructLibrary {

  private static final int MAX_INTEGER_BYTES = 32;
  private static final int INT_BYTES = 4;
  private static final int MAX_ALIGNMENT = 8;

  private final LuaState state;
  private final LuaArguments arguments;

  StructLibrary(LuaState state) {
    this.state = state;
    this.arguments = new LuaArguments(state);
  }

  void pushTable(LuaSandbox sandbox) {
    state.api.lua_createtable(state.main, 0, 3);
    sandbox.define("pack", this::pack);
    sandbox.define("unpack", this::unpack);
    sandbox.define("size", this::size);
  }

  /** Walks a format string; ends at a NUL as C does. */
  private static final class Format {

    private final byte[] text;
    private int position;
    private ByteOrder order = ByteOrder.nativeOrder();
    private int alignment = 1;

    Format(byte[] text) {
      this.text = text;
    }

    boolean hasNext() {
      return peek() != 0;
    }

    char next() {
      return (char) (text[position++] & 0xff);
    }

    private int peek() {
      return position < text.length ? text[position] : 0;
    }

    private boolean atDigit() {
      return peek() >= '0' && peek() <= '9';
    }

    int number(int otherwise) {
      if (!atDigit()) {
        return otherwise;
      }
      int number = 0;
      while (atDigit()) {
        int digit = peek() - '0';
        LuaRaise.positionedIf(
            number > Integer.MAX_VALUE / 10 || number * 10 > Integer.MAX_VALUE - digit,
            "integral size overflow");
        number = number * 10 + digit;
        position++;
      }
      return number;
    }

    int sizeOf(char option) {
      return switch (option) {
        case 'B', 'b', 'x' -> 1;
        case 'H', 'h' -> 2;
        case 'L', 'l', 'T', 'd' -> 8;
        case 'f' -> 4;
        case 'c' -> number(1);
        case 'i', 'I' -> integerSize();
        default -> 0;
      };
    }

    private int integerSize() {
      int size = number(INT_BYTES);
      LuaRaise.positionedIf(
          size > MAX_INTEGER_BYTES,
          "integral size %s is larger than limit of %s",
          size,
          MAX_INTEGER_BYTES);
      return size;
    }

    long padding(long position, char option, int size) {
      if (size == 0 || option == 'c') {
        return 0;
      }
      long unit = Math.min(size, alignment);
      return (unit - (position & (unit - 1))) & (unit - 1);
    }

    void control(char option) {
      switch (option) {
        case ' ' -> {}
        case '>' -> order = ByteOrder.BIG_ENDIAN;
        case '<' -> order = ByteOrder.LITTLE_ENDIAN;
        case '!' -> {
          int unit = number(MAX_ALIGNMENT);
          LuaRaise.positionedIf(
              Integer.bitCount(unit) != 1, "alignment %s is not a power of 2", unit);
          alignment = unit;
        }
        default -> throw LuaRaise.argument(1, "invalid format option '" + option + "'");
      }
    }
  }

  private int pack(long l) {
    Format format = new Format(arguments.string(l, 1));
    state.api.lua_pushnil(l); // the first missing argument is said to be nil, not absent
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int argument = 2;
    while (format.hasNext()) {
      char option = format.next();
      int size = format.sizeOf(option);
      for (long pad = format.padding(out.size(), option, size); pad > 0; pad--) {
        out.write(0);
      }
      switch (option) {
        case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I' ->
            out.writeBytes(integer(arguments.number(l, argument++), size, format.order));
        case 'x' -> out.write(0);
        case 'f' ->
            out.writeBytes(
                buffer(4, format).putFloat((float) arguments.number(l, argument++)).array());
        case 'd' ->
            out.writeBytes(buffer(8, format).putDouble(arguments.number(l, argument++)).array());
        case 'c', 's' -> {
          byte[] text = arguments.string(l, argument++);
          int length = size == 0 ? text.length : size;
          LuaArguments.check(text.length >= length, argument, "string too short");
          out.write(text, 0, length);
          if (option == 's') {
            out.write(0);
          }
        }
        default -> format.control(option);
      }
    }
    state.push(l, out.toByteArray());
    return 1;
  }

  private static ByteBuffer buffer(int size, Format format) {
    return ByteBuffer.allocate(size).order(format.order);
  }

  private static byte[] integer(double number, int size, ByteOrder order) {
    long bits =
        number >= 0x1p63
            ? LuaNumbers.truncated(number - 0x1p63) ^ Long.MIN_VALUE
            : LuaNumbers.truncated(number);
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[order == ByteOrder.LITTLE_ENDIAN ? i : size - 1 - i] = (byte) bits;
      bits >>>= 8;
    }
    return bytes;
  }

  private int unpack(long l) {
    Format format = new Format(arguments.string(l, 1));
    byte[] data = arguments.string(l, 2);
    long position = arguments.wide(l, 3, 1);
    LuaArguments.check(position != 0, 3, "offset must be 1 or greater");
    position--;
    int given = state.top(l);
    while (format.hasNext()) {
      char option = format.next();
      int size = format.sizeOf(option);
      position += format.padding(position, option, size);
      checkInside(data, position, size);
      LuaRaise.positionedIf(!state.reserve(l, 2), "stack overflow (too many results)");
      int at = (int) position;
      switch (option) {
        case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I' ->
            state.api.lua_pushnumber(
                l, integer(data, at, size, format, Character.isLowerCase(option)));
        case 'x' -> {}
        case 'f' ->
            state.api.lua_pushnumber(l, ByteBuffer.wrap(data).order(format.order).getFloat(at));
        case 'd' ->
            state.api.lua_pushnumber(l, ByteBuffer.wrap(data).order(format.order).getDouble(at));
        case 'c' -> {
          if (size == 0) {
            size = previousSize(l, data, position, given);
          }
          state.push(l, Arrays.copyOfRange(data, at, at + size));
        }
        case 's' -> {
          int end = at;
          while (end < data.length && data[end] != 0) {
            end++;
          }
          LuaRaise.positionedIf(end == data.length, "unfinished string in data");
          state.push(l, Arrays.copyOfRange(data, at, end));
          size = end - at + 1;
        }
        default -> format.control(option);
      }
      position += size;
    }
    state.api.lua_pushnumber(l, (double) (position + 1));
    return state.top(l) - given;
  }

  /** Takes the number read last as the length of a string. */
  private int previousSize(long l, byte[] data, long position, int given) {
    LuaRaise.positionedIf(
        state.top(l) == given || !state.isNumber(l, -1), "format 'c0' needs a previous size");
    long size = LuaNumbers.truncated(state.api.lua_tonumber(l, -1));
    checkInside(data, position, size);
    state.pop(l, 1);
    return (int) size;
  }

  /** Both numbers are unsigned, as in C: a negative one is beyond any data. */
  private static void checkInside(byte[] data, long position, long size) {
    LuaArguments.check(
        Long.compareUnsigned(size, data.length) <= 0
            && Long.compareUnsigned(position, data.length - size) <= 0,
        2,
        "data string too short");
  }

  private static double integer(byte[] data, int at, int size, Format format, boolean signed) {
    long bits = 0;
    for (int i = 0; i < size; i++) {
      int index = format.order == ByteOrder.BIG_ENDIAN ? i : size - 1 - i;
      bits = bits << 8 | (data[at + index] & 0xffL);
    }
    if (signed) {
      long mask = -1L << (size * 8 - 1);
      return (bits & mask) != 0 ? bits | mask : bits;
    }
    return LuaNumbers.unsigned(bits);
  }

  private int size(long l) {
    Format format = new Format(arguments.string(l, 1));
    long position = 0;
    while (format.hasNext()) {
      char option = format.next();
      int size = format.sizeOf(option);
      position += format.padding(position, option, size);
      LuaArguments.check(option != 's', 1, "option 's' has no fixed size");
      LuaArguments.check(option != 'c' || size != 0, 1, "option 'c0' has no fixed size");
      if (!isAlphanumeric(option)) {
        format.control(option);
      }
      position += size;
    }
    state.api.lua_pushnumber(l, (double) position);
    return 1;
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
