// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.io.IOException;
import java.io.InputStream;
import java.lang.StackWalker.StackFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Determines from the class file whether a call is inside a loop of its method: whether a backward
 * jump encloses it. So a pool that runs one short task after the other is not taken for a loop.
 */
final class CodeLoops {

  private static final int CONSTANTS_AT = 8;
  private static final int MEMBER_HEADER = 6;

  /** The length of each instruction in bytes, by its opcode; those of variable length have 0. */
  private static final String LENGTHS =
      "1".repeat(16)
          + "2323322222"
          + "1".repeat(28)
          + "22222"
          + "1".repeat(73)
          + "3"
          + "1".repeat(20)
          + "3".repeat(16)
          + "200111111"
          + "3".repeat(7)
          + "55323113311043355";

  private static final int INVOKE_FIRST = 0xb6;
  private static final int INVOKE_LAST = 0xba;
  private static final int TABLE_SWITCH = 0xaa;
  private static final int LOOKUP_SWITCH = 0xab;
  private static final int WIDE = 0xc4;
  private static final int WIDE_INCREMENT = 0x84;

  private final ByteBuffer file;
  private final int[] constants;

  private CodeLoops(byte[] bytes) {
    this.file = ByteBuffer.wrap(bytes);
    this.constants = new int[u2(CONSTANTS_AT)];
    file.position(CONSTANTS_AT + 2);
    for (int i = 1; i < constants.length; i++) {
      constants[i] = file.position();
      int tag = file.get();
      switch (tag) {
        case 1 -> skip(2 + u2(file.position()));
        case 7, 8, 16, 19, 20 -> skip(2);
        case 15 -> skip(3);
        case 5, 6 -> {
          skip(8);
          i++; // Takes two places.
        }
        default -> skip(4);
      }
    }
  }

  /**
   * Whether the call of this frame is inside a loop; true if that is unknown.
   *
   * @param frame a frame with its class
   */
  static boolean isAround(StackFrame frame) {
    Class<?> type = frame.getDeclaringClass();
    String name = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
    try (InputStream file = type.getResourceAsStream(name)) {
      return file == null || new CodeLoops(file.readAllBytes()).isLoop(frame);
    } catch (IOException | RuntimeException unreadable) {
      return true;
    }
  }

  private boolean isLoop(StackFrame frame) {
    skip(MEMBER_HEADER);
    skip(2 + 2 * u2(file.position()));
    for (int fields = nextU2(); fields > 0; fields--) {
      skip(MEMBER_HEADER);
      skipAttributes();
    }
    for (int methods = nextU2(); methods > 0; methods--) {
      int name = u2(file.position() + 2);
      int descriptor = u2(file.position() + 4);
      skip(MEMBER_HEADER);
      if (text(name).equals(frame.getMethodName())
          && text(descriptor).equals(frame.getDescriptor())) {
        return isLoopInMethod(frame);
      }
      skipAttributes();
    }
    return true;
  }

  private boolean isLoopInMethod(StackFrame frame) {
    for (int attributes = nextU2(); attributes > 0; attributes--) {
      boolean code = text(nextU2()).equals("Code");
      int length = file.getInt();
      if (code) {
        return isLoopInCode(frame);
      }
      skip(length);
    }
    return true;
  }

  private boolean isLoopInCode(StackFrame frame) {
    skip(4);
    int codeLength = file.getInt();
    int code = file.position();
    skip(codeLength);
    skip(2 + 8 * u2(file.position()));
    int lines = 0;
    for (int attributes = nextU2(); attributes > 0; attributes--) {
      boolean table = text(nextU2()).equals("LineNumberTable");
      int length = file.getInt();
      if (table) {
        lines = file.position();
      }
      skip(length);
    }
    int at = frame.getByteCodeIndex();
    // An agent may have inserted instructions, but keeps the line numbers.
    boolean asLoaded =
        at >= 0 && at < codeLength && isCall(code + at) && line(lines, at) == frame.getLineNumber();
    for (int i = 0; i < codeLength; i += length(code, i)) {
      int target = target(code, i);
      if (target <= i
          && (asLoaded
              ? target <= at && at <= i
              : lines == 0 || hasLine(lines, target, i, frame.getLineNumber()))) {
        return true;
      }
    }
    return false;
  }

  private boolean isCall(int position) {
    int opcode = u1(position);
    return opcode >= INVOKE_FIRST && opcode <= INVOKE_LAST;
  }

  /** The line of an instruction; -1 without line numbers. */
  private int line(int lines, int at) {
    int line = -1;
    int start = -1;
    for (int i = 0; lines > 0 && i < u2(lines); i++) {
      int from = u2(lines + 2 + 4 * i);
      if (from <= at && from > start) {
        start = from;
        line = u2(lines + 4 + 4 * i);
      }
    }
    return line;
  }

  /** Whether a line starts or continues between two instructions. */
  private boolean hasLine(int lines, int from, int to, int line) {
    for (int i = 0; i < u2(lines); i++) {
      int start = u2(lines + 2 + 4 * i);
      if (start >= from && start <= to && u2(lines + 4 + 4 * i) == line) {
        return true;
      }
    }
    return line(lines, from) == line;
  }

  /** The target of a jump; far ahead if the instruction is none. */
  private int target(int code, int at) {
    int opcode = u1(code + at);
    if ((opcode >= 0x99 && opcode <= 0xa8) || opcode == 0xc6 || opcode == 0xc7) {
      return at + file.getShort(code + at + 1);
    }
    return opcode == 0xc8 || opcode == 0xc9 ? at + file.getInt(code + at + 1) : Integer.MAX_VALUE;
  }

  private int length(int code, int at) {
    int opcode = u1(code + at);
    int length = LENGTHS.charAt(opcode) - '0';
    if (length > 0) {
      return length;
    }
    int aligned = (at + 4) / 4 * 4;
    return switch (opcode) {
      case TABLE_SWITCH -> {
        int low = file.getInt(code + aligned + 4);
        int high = file.getInt(code + aligned + 8);
        yield aligned + 12 + 4 * (high - low + 1) - at;
      }
      case LOOKUP_SWITCH -> aligned + 8 + 8 * file.getInt(code + aligned + 4) - at;
      case WIDE -> u1(code + at + 1) == WIDE_INCREMENT ? 6 : 4;
      default -> throw new IllegalStateException("Unknown instruction " + opcode);
    };
  }

  private String text(int constant) {
    int at = constants[constant];
    byte[] bytes = new byte[u2(at + 1)];
    file.duplicate().position(at + 3).get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void skipAttributes() {
    for (int attributes = nextU2(); attributes > 0; attributes--) {
      skip(2);
      skip(file.getInt());
    }
  }

  private void skip(int bytes) {
    file.position(file.position() + bytes);
  }

  private int nextU2() {
    return file.getShort() & 0xffff;
  }

  private int u1(int position) {
    return file.get(position) & 0xff;
  }

  private int u2(int position) {
    return file.getShort(position) & 0xffff;
  }
}
