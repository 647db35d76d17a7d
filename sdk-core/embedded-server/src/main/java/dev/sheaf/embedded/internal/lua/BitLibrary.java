// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.function.IntBinaryOperator;

/** The {@code bit} table: operations on 32 bits, with signed results. */
final class BitLibrary {

  /** 2^52 + 2^51. Added to a double, it leaves the low 32 bits of its integer in the fraction. */
  private static final double INTEGER_SHIFTER = 6755399441055744.0;

  private static final int HEX_DIGITS = 8;

  private final LuaState state;

  BitLibrary(LuaState state) {
    this.state = state;
  }

  void pushTable(LuaSandbox sandbox) {
    state.api.lua_createtable(state.main, 0, 12);
    sandbox.define("tobit", l -> result(l, bits(l, 1)));
    sandbox.define("bnot", l -> result(l, ~bits(l, 1)));
    sandbox.define("band", l -> fold(l, (a, b) -> a & b));
    sandbox.define("bor", l -> fold(l, (a, b) -> a | b));
    sandbox.define("bxor", l -> fold(l, (a, b) -> a ^ b));
    sandbox.define("lshift", l -> shift(l, (bits, by) -> bits << by));
    sandbox.define("rshift", l -> shift(l, (bits, by) -> bits >>> by));
    sandbox.define("arshift", l -> shift(l, (bits, by) -> bits >> by));
    sandbox.define("rol", l -> shift(l, Integer::rotateLeft));
    sandbox.define("ror", l -> shift(l, Integer::rotateRight));
    sandbox.define("bswap", l -> result(l, Integer.reverseBytes(bits(l, 1))));
    sandbox.define("tohex", this::toHex);
  }

  private int bits(long l, int argument) {
    double shifted = state.number(l, argument) + INTEGER_SHIFTER;
    return (int) Double.doubleToRawLongBits(shifted);
  }

  private int result(long l, int bits) {
    state.api.lua_pushnumber(l, bits);
    return 1;
  }

  private int fold(long l, IntBinaryOperator operation) {
    int bits = bits(l, 1);
    for (int i = state.top(l); i > 1; i--) {
      bits = operation.applyAsInt(bits, bits(l, i));
    }
    return result(l, bits);
  }

  private int shift(long l, IntBinaryOperator operation) {
    int bits = bits(l, 1);
    return result(l, operation.applyAsInt(bits, bits(l, 2) & 31));
  }

  private int toHex(long l) {
    int bits = bits(l, 1);
    int digits = state.top(l) < 2 ? HEX_DIGITS : bits(l, 2);
    String all = String.format(digits < 0 ? "%08X" : "%08x", bits);
    int shown = digits == Integer.MIN_VALUE ? 0 : Math.min(HEX_DIGITS, Math.abs(digits));
    state.pushAscii(l, all.substring(HEX_DIGITS - shown));
    return 1;
  }
}
