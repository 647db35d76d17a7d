// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** The cmsgpack table: MessagePack. */
final class CmsgpackLibrary {

  /** Tables nested deeper are written as nil. */
  private static final int MAX_NESTING = 16;

  private final LuaState state;
  private final LuaArguments arguments;

  CmsgpackLibrary(LuaState state) {
    this.state = state;
    this.arguments = new LuaArguments(state);
  }

  void pushTable(LuaSandbox sandbox) {
    state.api.lua_createtable(state.main, 0, 8);
    sandbox.define("pack", this::pack);
    sandbox.define("unpack", l -> unpack(l, 0, 0));
    sandbox.define("unpack_one", this::unpackOne);
    sandbox.define("unpack_limit", this::unpackLimit);
    text("_NAME", "cmsgpack");
    text("_VERSION", "lua-cmsgpack 0.4.0");
    text("_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo");
    text("_DESCRIPTION", "MessagePack C implementation for Lua");
  }

  private void text(String name, String value) {
    state.pushAscii(state.main, value);
    state.rawSet(state.main, -2, name);
  }

  private int pack(long l) {
    int count = state.top(l);
    LuaArguments.check(count > 0, 0, "MessagePack pack needs input.");
    Packer packer = new Packer();
    for (int i = 1; i <= count; i++) {
      reserve(l, 1, "in function mp_check");
      state.api.lua_pushvalue(l, i);
      packer.pack(l, 0);
    }
    state.push(l, packer.out.toByteArray());
    return 1;
  }

  private void reserve(long l, int slots, String what) {
    LuaRaise.positionedIf(!state.reserve(l, slots), "stack overflow (%s)", what);
  }

  private final class Packer {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Pops the value on top. */
    void pack(long l, int level) {
      switch (state.type(l, -1)) {
        case LuaState.STRING -> string(state.bytes(l, -1));
        case LuaState.BOOLEAN -> out.write(state.api.lua_toboolean(l, -1) != 0 ? 0xc3 : 0xc2);
        case LuaState.NUMBER -> number(state.api.lua_tonumber(l, -1));
        case LuaState.TABLE -> {
          if (level == MAX_NESTING) {
            out.write(0xc0);
          } else {
            table(l, level);
          }
        }
        default -> out.write(0xc0);
      }
      state.pop(l, 1);
    }

    private void string(byte[] bytes) {
      if (bytes.length < 32) {
        out.write(0xa0 | bytes.length);
      } else {
        sized(0xd9, bytes.length);
      }
      out.writeBytes(bytes);
    }

    private void head(int mark, long value, int bytes) {
      out.write(mark);
      for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        out.write((int) (value >>> shift));
      }
    }

    private void number(double number) {
      long integer = LuaNumbers.truncated(number);
      if ((double) integer == number) {
        integer(integer);
      } else if ((float) number == number) {
        head(0xca, Float.floatToRawIntBits((float) number), 4);
      } else {
        head(0xcb, Double.doubleToRawLongBits(number), 8);
      }
    }

    private void integer(long n) {
      if (n >= -32 && n <= 127) {
        out.write((int) n);
      } else if (n >= 0) {
        sized(0xcc, n);
      } else {
        int width = n >= -128 ? 0 : n >= -32_768 ? 1 : n >= Integer.MIN_VALUE ? 2 : 3;
        head(0xd0 + width, n, 1 << width);
      }
    }

    /** In as few bytes as hold it: the marks for 1, 2, 4 and 8 of them follow each other. */
    private void sized(int firstMark, long n) {
      int width = n <= 0xff ? 0 : n <= 0xffff ? 1 : n <= 0xffffffffL ? 2 : 3;
      head(firstMark + width, n, 1 << width);
    }

    private void table(long l, int level) {
      reserve(l, 3, "in function mp_encode_lua_table_as_map");
      int size = arraySize(l);
      if (size >= 0) {
        collection(size, 0x90, 0xdc);
        for (int i = 1; i <= size; i++) {
          state.api.lua_rawgeti(l, -1, i);
          pack(l, level + 1);
        }
        return;
      }
      collection(count(l), 0x80, 0xde);
      state.api.lua_pushnil(l);
      while (state.api.lua_next(l, -2) != 0) {
        state.api.lua_pushvalue(l, -2);
        pack(l, level + 1);
        pack(l, level + 1);
      }
    }

    private void collection(int size, int small, int large) {
      if (size <= 15) {
        out.write(small | size);
      } else if (size <= 0xffff) {
        head(large, size, 2);
      } else {
        head(large + 1, size, 4);
      }
    }
  }

  /** Returns the size of a table whose keys are 1 to that size, -1 for any other. */
  private int arraySize(long l) {
    int count = 0;
    double max = 0;
    state.api.lua_pushnil(l);
    while (state.api.lua_next(l, -2) != 0) {
      state.pop(l, 1);
      double key = state.type(l, -1) == LuaState.NUMBER ? state.api.lua_tonumber(l, -1) : 0;
      if (key <= 0 || key != (int) key) {
        state.pop(l, 1);
        return -1;
      }
      max = Math.max(max, key);
      count++;
    }
    return max == count ? count : -1;
  }

  private int count(long l) {
    int count = 0;
    state.api.lua_pushnil(l);
    while (state.api.lua_next(l, -2) != 0) {
      state.pop(l, 1);
      count++;
    }
    return count;
  }

  private int unpackOne(long l) {
    long offset = arguments.wide(l, 2, 0);
    state.api.lua_settop(l, Math.min(1, state.top(l)));
    return unpack(l, 1, offset);
  }

  private int unpackLimit(long l) {
    long limit = arguments.wide(l, 2);
    long offset = arguments.wide(l, 3, 0);
    state.api.lua_settop(l, 1);
    return unpack(l, limit, offset);
  }

  private int unpack(long l, long limit, long offset) {
    byte[] data = arguments.string(l, 1);
    LuaRaise.positionedIf(
        offset < 0 || limit < 0,
        "Invalid request to unpack with offset of %s and limit of %s.",
        (int) offset,
        data.length);
    LuaRaise.positionedIf(
        offset > data.length,
        "Start offset %s greater than input length %s.",
        (int) offset,
        data.length);
    boolean all = limit == 0 && offset == 0;
    long most = all ? Integer.MAX_VALUE : limit;
    Unpacker unpacker = new Unpacker(data, (int) offset);
    int count = 0;
    while (unpacker.position < data.length && count < most) {
      unpacker.unpack(l, 0);
      count++;
    }
    if (all) {
      return count;
    }
    reserve(l, 1, "in function mp_unpack_full");
    state.api.lua_pushnumber(l, unpacker.position == data.length ? -1 : unpacker.position);
    state.api.lua_insert(l, 2);
    return count + 1;
  }

  private final class Unpacker {

    private final byte[] data;
    private int position;

    Unpacker(byte[] data, int position) {
      this.data = data;
      this.position = position;
    }

    /** Pushes the next value. */
    void unpack(long l, int level) {
      int mark = (int) unsigned(1);
      reserve(l, 1, "too many return values at once; use unpack_one or unpack_limit instead.");
      switch (mark) {
        case 0xcc, 0xcd, 0xce, 0xcf ->
            state.api.lua_pushnumber(l, (double) unsigned(1 << (mark - 0xcc)));
        case 0xd0 -> state.api.lua_pushnumber(l, (byte) unsigned(1));
        case 0xd1 -> state.api.lua_pushnumber(l, (short) unsigned(2));
        case 0xd2 -> state.api.lua_pushnumber(l, (int) unsigned(4));
        case 0xd3 -> state.api.lua_pushnumber(l, (double) unsigned(8));
        case 0xc0 -> state.api.lua_pushnil(l);
        case 0xc2, 0xc3 -> state.api.lua_pushboolean(l, mark & 1);
        case 0xca -> state.api.lua_pushnumber(l, Float.intBitsToFloat((int) unsigned(4)));
        case 0xcb -> state.api.lua_pushnumber(l, Double.longBitsToDouble(unsigned(8)));
        case 0xd9, 0xda, 0xdb -> string(l, unsigned(1 << (mark - 0xd9)));
        case 0xdc, 0xdd -> array(l, unsigned(2 << (mark - 0xdc)), level);
        case 0xde, 0xdf -> map(l, unsigned(2 << (mark - 0xde)), level);
        default -> small(l, mark, level);
      }
    }

    private void small(long l, int mark, int level) {
      if (mark < 0x80) {
        state.api.lua_pushnumber(l, mark);
      } else if (mark >= 0xe0) {
        state.api.lua_pushnumber(l, (byte) mark);
      } else if (mark >= 0xa0 && mark < 0xc0) {
        string(l, mark & 0x1f);
      } else if (mark >= 0x90 && mark < 0xa0) {
        array(l, mark & 0xf, level);
      } else if (mark < 0x90) {
        map(l, mark & 0xf, level);
      } else {
        throw LuaRaise.positioned("Bad data format in input.");
      }
    }

    private long unsigned(int bytes) {
      need(bytes);
      long value = 0;
      for (int i = 0; i < bytes; i++) {
        value = value << 8 | (data[position++] & 0xff);
      }
      return value;
    }

    private void need(long bytes) {
      LuaRaise.positionedIf(data.length - position < bytes, "Missing bytes in input.");
    }

    private void string(long l, long length) {
      need(length);
      state.push(l, Arrays.copyOfRange(data, position, position + (int) length));
      position += (int) length;
    }

    private void array(long l, long size, int level) {
      state.api.lua_createtable(l, 0, 0);
      reserve(l, 2, "in function mp_decode_to_lua_array");
      for (int i = 1; i <= size; i++) {
        unpack(l, level + 1);
        state.api.lua_rawseti(l, -2, i);
      }
    }

    private void map(long l, long size, int level) {
      state.api.lua_createtable(l, 0, 0);
      for (long i = 0; i < size; i++) {
        reserve(l, 2, "in function mp_decode_to_lua_hash");
        unpack(l, level + 1);
        unpack(l, level + 1);
        checkKey(l);
        state.api.lua_rawset(l, -3);
      }
    }

    /** Keeps out what Lua takes for no key: its error would pass through Java. */
    private void checkKey(long l) {
      int type = state.type(l, -2);
      if (type == LuaState.NIL) {
        throw LuaRaise.plain("table index is nil");
      }
      if (type == LuaState.NUMBER && Double.isNaN(state.api.lua_tonumber(l, -2))) {
        throw LuaRaise.plain("table index is NaN");
      }
    }
  }
}
