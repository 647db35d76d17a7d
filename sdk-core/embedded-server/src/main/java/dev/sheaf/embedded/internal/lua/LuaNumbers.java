// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/** Numbers as C prints them. */
final class LuaNumbers {

  /** Converts as a C cast to a 64-bit integer does on common hardware. */
  static long truncated(double value) {
    if (Double.isNaN(value) || value >= 0x1p63 || value < -0x1p63) {
      return Long.MIN_VALUE;
    }
    return (long) value;
  }

  /** Converts as a C cast to a 32-bit integer, by way of 64 bits. */
  static int truncatedToInt(double value) {
    return (int) truncated(value);
  }
}
