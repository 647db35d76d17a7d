// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Generates Lua code that returns constants. The binding passes strings as text, which loses NUL
 * and all bytes above ASCII. A literal can hold any bytes, and one load passes a whole table.
 */
final class LuaLiterals {
  /** The most constants that a Lua function can have. */
  static final int MAX_CONSTANTS = (1 << 18) - 1;

  private static final byte[] RETURN = Bytes.latin("return ");
  private static final byte[] NUL = Bytes.latin("\\000");
  private static final byte[] FALSE = Bytes.latin("false");

  private LuaLiterals() {}

  /**
   * Generates code that returns a value.
   *
   * @param value a byte[], a Long, null, which becomes false, or a list of these
   */
  static ByteBuffer returning(Object value, IntFunction<ByteBuffer> bufferOfSize) {
    ByteBuffer out = bufferOfSize.apply(Math.addExact(RETURN.length, size(value)));
    write(out.put(RETURN), value);
    return out.flip();
  }

  private static int size(@Nullable Object value) {
    int size = 2;
    if (value instanceof List<?> elements) {
      for (Object element : elements) {
        size = Math.addExact(size, 1 + size(element));
      }
    } else if (value instanceof byte[] text) {
      for (byte b : text) {
        size = Math.addExact(size, b == 0 ? NUL.length : isEscaped(b) ? 2 : 1);
      }
    } else {
      size = value == null ? FALSE.length : Bytes.ofLong((Long) value).length;
    }
    return size;
  }

  private static void write(ByteBuffer out, @Nullable Object value) {
    if (value instanceof List<?> elements) {
      out.put((byte) '{');
      for (Object element : elements) {
        write(out, element);
        out.put((byte) ',');
      }
      out.put((byte) '}');
    } else if (value instanceof byte[] text) {
      writeText(out, text);
    } else {
      out.put(value == null ? FALSE : Bytes.ofLong((Long) value));
    }
  }

  private static void writeText(ByteBuffer out, byte[] text) {
    out.put((byte) '"');
    for (byte b : text) {
      if (b == 0) {
        out.put(NUL);
      } else if (isEscaped(b)) {
        out.put((byte) '\\').put((byte) (b == '\n' ? 'n' : b == '\r' ? 'r' : b));
      } else {
        out.put(b);
      }
    }
    out.put((byte) '"');
  }

  private static boolean isEscaped(byte b) {
    return b == '"' || b == '\\' || b == '\n' || b == '\r';
  }
}
