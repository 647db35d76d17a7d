// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes Lua that returns constants. The binding passes strings as text, which loses NUL and
 * everything beyond ASCII; a literal holds any bytes, and one load brings a whole table over.
 */
final class LuaLiterals {
  /** Constants one function may have. */
  static final int MAX_CONSTANTS = (1 << 18) - 1;

  private static final byte[] RETURN = Bytes.latin("return ");
  private static final byte[] NUL = Bytes.latin("\\000");
  private static final byte[] FALSE = Bytes.latin("false");

  private LuaLiterals() {}

  static ByteBuffer returning(byte[] text, IntFunction<ByteBuffer> bufferOfSize) {
    ByteBuffer out = bufferOfSize.apply(Math.addExact(RETURN.length, size(text)));
    write(out.put(RETURN), text);
    return out.flip();
  }

  /** A table of the elements, each a byte[], a Long, or null, which becomes false. */
  static ByteBuffer returning(List<?> elements, IntFunction<ByteBuffer> bufferOfSize) {
    int size = RETURN.length + 2;
    for (Object element : elements) {
      size = Math.addExact(size, 1 + size(element));
    }
    ByteBuffer out = bufferOfSize.apply(size).put(RETURN).put((byte) '{');
    for (Object element : elements) {
      write(out, element);
      out.put((byte) ',');
    }
    return out.put((byte) '}').flip();
  }

  private static int size(@Nullable Object element) {
    if (!(element instanceof byte[] text)) {
      return element == null ? FALSE.length : Bytes.ofLong((Long) element).length;
    }
    int size = 2;
    for (byte b : text) {
      size = Math.addExact(size, b == 0 ? NUL.length : isEscaped(b) ? 2 : 1);
    }
    return size;
  }

  private static void write(ByteBuffer out, @Nullable Object element) {
    if (!(element instanceof byte[] text)) {
      out.put(element == null ? FALSE : Bytes.ofLong((Long) element));
      return;
    }
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
