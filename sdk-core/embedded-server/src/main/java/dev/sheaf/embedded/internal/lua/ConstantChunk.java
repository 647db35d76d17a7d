// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Writes small precompiled functions that return constants. The binding passes strings as text,
 * which loses NUL and everything beyond ASCII; a function's constants hold any bytes, and one load
 * brings a whole table over.
 */
final class ConstantChunk {

  private static final int HEADER_BYTES = 12;
  private static final int SIZE_OF_SIZE_T = 8;
  private static final int TYPE_NUMBER = 3;
  private static final int TYPE_STRING = 4;

  private static final int OP_LOADK = 1;
  private static final int OP_LOADBOOL = 2;
  private static final int OP_NEWTABLE = 10;
  private static final int OP_RETURN = 30;
  private static final int OP_SETLIST = 34;

  /** Elements a SETLIST stores at once; fixed by the virtual machine. */
  private static final int FIELDS_PER_FLUSH = 50;

  /** The largest block number that fits a SETLIST; a larger one follows as a word of its own. */
  private static final int MAX_BLOCK_IN_PLACE = 511;

  /** Constants a LOADK can name. */
  static final int MAX_CONSTANTS = 1 << 18;

  private static final int FUNCTION_OVERHEAD_BYTES = 96;

  private final byte[] header = new byte[HEADER_BYTES];
  private final int sizeOfSizeT;
  private byte[] constants = new byte[256];
  private ByteBuffer constantBytes = ByteBuffer.wrap(constants).order(ByteOrder.nativeOrder());
  private int constantCount;
  private IntFunction<ByteBuffer> buffers = ByteBuffer::allocate;

  /**
   * @param sample any function this virtual machine has dumped; its head tells the sizes of types
   */
  ConstantChunk(ByteBuffer sample) {
    sample.get(0, header);
    sizeOfSizeT = header[SIZE_OF_SIZE_T];
  }

  static int sizeOf(byte[] constant) {
    return constant.length + 16;
  }

  static int sizeOf(List<?> elements) {
    int size = 0;
    for (Object element : elements) {
      size = Math.addExact(size, element instanceof byte[] bytes ? sizeOf(bytes) : 16);
    }
    return size;
  }

  void begin(int constantSize, IntFunction<ByteBuffer> bufferOfSize) {
    buffers = bufferOfSize;
    if (constants.length < constantSize || constants.length > 1024 * 1024) {
      constants = new byte[constantSize];
      constantBytes = ByteBuffer.wrap(constants).order(ByteOrder.nativeOrder());
    }
    constantBytes.clear();
    constantCount = 0;
  }

  void constant(byte[] bytes) {
    constantBytes.put((byte) TYPE_STRING);
    size(constantBytes, bytes.length + 1L);
    constantBytes.put(bytes).put((byte) 0);
    constantCount++;
  }

  void constant(double number) {
    constantBytes.put((byte) TYPE_NUMBER).putDouble(number);
    constantCount++;
  }

  /** Returns the chunk of {@code return <the first constant>}. */
  ByteBuffer returnConstant() {
    ByteBuffer out = start(2, 2);
    out.putInt(abx(OP_LOADK, 0, 0));
    return end(out);
  }

  /** Returns the chunk of {@code return {…}}; null elements become false. */
  ByteBuffer returnTable(List<?> elements) {
    int blocks = (elements.size() + FIELDS_PER_FLUSH - 1) / FIELDS_PER_FLUSH;
    int wide = Math.max(0, blocks - MAX_BLOCK_IN_PLACE);
    ByteBuffer out = start(2 + elements.size() + blocks + wide, FIELDS_PER_FLUSH + 2);
    out.putInt(abc(OP_NEWTABLE, 0, floatingPointByte(elements.size()), 0));
    int next = 0;
    int inBlock = 0;
    int block = 1;
    int left = elements.size();
    for (Object element : elements) {
      inBlock++;
      out.putInt(
          element == null ? abc(OP_LOADBOOL, inBlock, 0, 0) : abx(OP_LOADK, inBlock, next++));
      left--;
      if (inBlock == FIELDS_PER_FLUSH || left == 0) {
        boolean fits = block <= MAX_BLOCK_IN_PLACE;
        out.putInt(abc(OP_SETLIST, 0, inBlock, fits ? block : 0));
        if (!fits) {
          out.putInt(block);
        }
        block++;
        inBlock = 0;
      }
    }
    return end(out);
  }

  private ByteBuffer start(int instructions, int registers) {
    int bytes =
        HEADER_BYTES + FUNCTION_OVERHEAD_BYTES + 4 * instructions + constantBytes.position();
    ByteBuffer out = buffers.apply(bytes);
    out.put(header);
    size(out, 0); // no source name
    out.putInt(0).putInt(0); // line numbers
    out.put((byte) 0).put((byte) 0).put((byte) 2).put((byte) registers);
    out.putInt(instructions);
    return out;
  }

  private ByteBuffer end(ByteBuffer out) {
    out.putInt(abc(OP_RETURN, 0, 2, 0));
    out.putInt(constantCount);
    out.put(constants, 0, constantBytes.position());
    out.putInt(0).putInt(0).putInt(0).putInt(0); // functions, lines, locals, upvalue names
    return out.flip();
  }

  private void size(ByteBuffer out, long size) {
    if (sizeOfSizeT == 8) {
      out.putLong(size);
    } else {
      out.putInt((int) size);
    }
  }

  private static int abc(int op, int a, int b, int c) {
    return op | a << 6 | c << 14 | b << 23;
  }

  private static int abx(int op, int a, int bx) {
    return op | a << 6 | bx << 14;
  }

  /** The size hint of NEWTABLE: eeeeexxx means (1xxx) * 2^(eeeee - 1), rounded up. */
  private static int floatingPointByte(int size) {
    int exponent = 0;
    int mantissa = size;
    while (mantissa >= 16) {
      mantissa = (mantissa + 1) >> 1;
      exponent++;
    }
    return mantissa < 8 ? mantissa : (exponent + 1) << 3 | mantissa - 8;
  }
}
