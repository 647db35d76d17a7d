// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Numbers;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Writes one Lua value as JSON. */
final class JsonEncoder {

  private static final byte[] NULL = ascii("null");
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");
  private static final byte[] NAN = ascii("nan");
  private static final byte[] AS_IT_IS = new byte[0];
  private static final byte[][] ESCAPES = escapes();

  private static final int REFUSE_INVALID_NUMBERS = 0;
  private static final int WRITE_INVALID_NUMBERS = 1;

  private static final int OBJECT = -1;

  private final LuaState state;
  private final CjsonSettings settings;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** The tables around the value being written. A list, as a thread's stack is no place for it. */
  private final Deque<Table> tables = new ArrayDeque<>();

  /** Whether the value written last is a table that has only begun. */
  private boolean begun;

  JsonEncoder(LuaState state, CjsonSettings settings) {
    this.state = state;
    this.settings = settings;
  }

  byte[] result() {
    return out.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[][] escapes() {
    byte[][] escapes = new byte[256][];
    Arrays.fill(escapes, AS_IT_IS);
    for (int i = 0; i < ' '; i++) {
      escapes[i] = ascii(String.format("\\u%04x", i));
    }
    escapes[0x7f] = ascii("\\u007f");
    escapes['\b'] = ascii("\\b");
    escapes['\t'] = ascii("\\t");
    escapes['\n'] = ascii("\\n");
    escapes['\f'] = ascii("\\f");
    escapes['\r'] = ascii("\\r");
    escapes['"'] = ascii("\\\"");
    escapes['/'] = ascii("\\/");
    escapes['\\'] = ascii("\\\\");
    return escapes;
  }

  /** Writes the value on top, which stays. */
  void encode(long l) {
    begin(l);
    while (!tables.isEmpty()) {
      if (tables.element().pushNext(l)) {
        begin(l);
      } else {
        tables.pop();
      }
      if (!tables.isEmpty() && !begun) {
        state.pop(l, 1);
      }
    }
  }

  /** Writes the value on top, or only the start of it if it is a table. */
  private void begin(long l) {
    begun = false;
    switch (state.type(l, -1)) {
      case LuaState.STRING -> string(l, -1);
      case LuaState.NUMBER -> number(l, -1);
      case LuaState.BOOLEAN -> out.writeBytes(state.api.lua_toboolean(l, -1) != 0 ? TRUE : FALSE);
      case LuaState.TABLE -> table(l);
      case LuaState.NIL -> out.writeBytes(NULL);
      case LuaState.LIGHT_USERDATA -> {
        if (state.api.lua_touserdata(l, -1) != 0) {
          throw refused(l, -1, "type not supported");
        }
        out.writeBytes(NULL);
      }
      default -> throw refused(l, -1, "type not supported");
    }
  }

  private LuaRaise refused(long l, int index, String reason) {
    return LuaRaise.positioned(
        "Cannot serialise " + state.api.luaL_typename(l, index) + ": " + reason);
  }

  private void string(long l, int index) {
    out.write('"');
    byte[] bytes = state.bytes(l, index);
    int written = 0;
    for (int i = 0; i < bytes.length; i++) {
      byte[] escape = ESCAPES[bytes[i] & 0xff];
      if (escape.length > 0) {
        out.write(bytes, written, i - written);
        out.writeBytes(escape);
        written = i + 1;
      }
    }
    out.write(bytes, written, bytes.length - written);
    out.write('"');
  }

  private void number(long l, int index) {
    double number = state.api.lua_tonumber(l, index);
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      if (settings.encodeInvalidNumbers == REFUSE_INVALID_NUMBERS) {
        throw refused(l, index, "must not be NaN or Inf");
      }
      if (settings.encodeInvalidNumbers != WRITE_INVALID_NUMBERS) {
        out.writeBytes(NULL);
        return;
      }
      if (Double.isNaN(number)) {
        out.writeBytes(NAN);
        return;
      }
    }
    out.writeBytes(ascii(Numbers.general(number, settings.precision)));
  }

  private void table(long l) {
    int depth = tables.size() + 1;
    LuaRaise.positionedIf(
        depth > settings.encodeMaxDepth || !state.reserve(l, 3),
        "Cannot serialise, excessive nesting (%s)",
        depth);
    int length = arrayLength(l);
    tables.push(new Table(length));
    if (length > 0) {
      out.write('[');
    } else {
      out.write('{');
      state.api.lua_pushnil(l);
    }
    begun = true;
  }

  /** Returns the highest index of a table with no other keys, or {@link #OBJECT}. */
  private int arrayLength(long l) {
    double max = 0;
    long items = 0;
    state.api.lua_pushnil(l);
    while (state.api.lua_next(l, -2) != 0) {
      double key = state.type(l, -2) == LuaState.NUMBER ? state.api.lua_tonumber(l, -2) : 0;
      if (key < 1 || Math.floor(key) != key) {
        state.pop(l, 2);
        return OBJECT;
      }
      max = Math.max(max, LuaNumbers.truncatedToInt(key));
      items++;
      state.pop(l, 1);
    }
    if (settings.sparseRatio > 0
        && max > (int) (items * settings.sparseRatio)
        && max > settings.sparseSafe) {
      if (!settings.sparseConvert) {
        throw refused(l, -1, "excessively sparse array");
      }
      return OBJECT;
    }
    return (int) max;
  }

  /** A table being written; it stays on Lua's stack below its element. */
  private final class Table {

    private final int length;
    private int written;

    Table(int length) {
      this.length = length;
    }

    /** Pushes the next element, behind what separates it, or writes the end. */
    boolean pushNext(long l) {
      begun = false;
      return length > 0 ? pushElement(l) : pushEntry(l);
    }

    private boolean pushElement(long l) {
      if (written == length) {
        out.write(']');
        return false;
      }
      separate();
      state.api.lua_rawgeti(l, -1, written);
      return true;
    }

    private boolean pushEntry(long l) {
      if (state.api.lua_next(l, -2) == 0) {
        out.write('}');
        return false;
      }
      separate();
      key(l);
      return true;
    }

    private void separate() {
      if (written++ > 0) {
        out.write(',');
      }
    }
  }

  private void key(long l) {
    switch (state.type(l, -2)) {
      case LuaState.NUMBER -> {
        out.write('"');
        number(l, -2);
        out.write('"');
      }
      case LuaState.STRING -> string(l, -2);
      default -> throw refused(l, -2, "table key must be a number or string");
    }
    out.write(':');
  }
}
