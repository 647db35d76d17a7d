// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import dev.sheaf.embedded.internal.data.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A check of compiled code for CVE-2014-5461. The native Lua 5.1 reserves too little stack for a
 * function with fixed parameters and {@code ...} that is called with fewer arguments than it has
 * fixed parameters. It writes past the end, which crashes the JVM. A few parameters fit the slots
 * that Lua keeps in reserve; code with more is rejected.
 */
final class VarargCheck {

  /** The most fixed parameters of a function with {@code ...} that always fit Lua's reserve. */
  static final int MAX_FIXED_PARAMETERS = 3;

  private static final int HEADER_BYTES = 12;
  private static final int VARARG = 2;
  private static final int TYPE_BOOLEAN = 1;
  private static final int TYPE_NUMBER = 3;
  private static final int TYPE_STRING = 4;

  private final ByteBuffer code;

  private VarargCheck(ByteBuffer code) {
    this.code = code;
  }

  /** Whether source text can contain such a function: only if it contains dots. */
  static boolean concerns(byte[] source, int from) {
    return Bytes.text(source).indexOf("...", from) >= 0;
  }

  /**
   * Searches a function, and those in it, for such a function.
   *
   * @param dump a function as dumped by Lua
   * @return an error message; null if the function is safe
   */
  static @Nullable String find(ByteBuffer dump) {
    VarargCheck check = new VarargCheck(dump.duplicate().order(ByteOrder.nativeOrder()));
    check.code.position(HEADER_BYTES);
    return check.function();
  }

  private @Nullable String function() {
    skipString();
    int line = code.getInt();
    skip(Integer.BYTES + 1);
    int fixed = code.get() & 0xff;
    boolean vararg = (code.get() & VARARG) != 0;
    code.get();
    if (vararg && fixed > MAX_FIXED_PARAMETERS) {
      return "the function at line %s has %s fixed parameters and '...'; with '...' at most %s are supported"
          .formatted(line, fixed, MAX_FIXED_PARAMETERS);
    }
    skip(4L * code.getInt());
    for (int left = code.getInt(); left > 0; left--) {
      skipConstant();
    }
    for (int left = code.getInt(); left > 0; left--) {
      String wrong = function();
      if (wrong != null) {
        return wrong;
      }
    }
    skip(4L * code.getInt());
    for (int left = code.getInt(); left > 0; left--) {
      skipString();
      code.getInt();
      code.getInt();
    }
    for (int left = code.getInt(); left > 0; left--) {
      skipString();
    }
    return null;
  }

  private void skipConstant() {
    switch (code.get()) {
      case TYPE_BOOLEAN -> skip(1);
      case TYPE_NUMBER -> skip(8);
      case TYPE_STRING -> skipString();
      default -> {}
    }
  }

  private void skipString() {
    skip(code.get(8) == 8 ? code.getLong() : code.getInt());
  }

  private void skip(long bytes) {
    code.position(Math.toIntExact(code.position() + bytes));
  }
}
