// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as C prints them. */
final class LuaNumbers {

  /** Beyond it, not every integer has a double of its own. */
  private static final double EXACT_INTEGERS = 1L << 53;

  private LuaNumbers() {}

  /** Formats as printf's {@code %.<digits>g}. */
  static String general(double value, int digits) {
    if (Double.isNaN(value)) {
      return Double.doubleToRawLongBits(value) < 0 ? "-nan" : "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    if (value == Math.rint(value) && Math.abs(value) < limit(digits)) {
      return value == 0 && 1 / value < 0 ? "-0" : Long.toString((long) value);
    }
    return rounded(value, digits);
  }

  private static double limit(int digits) {
    return digits >= 16 ? EXACT_INTEGERS : Math.pow(10, digits);
  }

  private static String rounded(double value, int digits) {
    BigDecimal exact = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
    String unscaled = exact.unscaledValue().abs().toString();
    int exponent = unscaled.length() - 1 - exact.scale();
    String figures = withoutTrailingZeros(unscaled);
    StringBuilder out = new StringBuilder(value < 0 ? "-" : "");
    if (exponent < -4 || exponent >= digits) {
      out.append(figures.charAt(0));
      if (figures.length() > 1) {
        out.append('.').append(figures, 1, figures.length());
      }
      out.append('e').append(exponent < 0 ? '-' : '+');
      int size = Math.abs(exponent);
      return out.append(size < 10 ? "0" : "").append(size).toString();
    }
    if (exponent < 0) {
      return out.append("0.").append("0".repeat(-exponent - 1)).append(figures).toString();
    }
    if (figures.length() <= exponent + 1) {
      return out.append(figures).append("0".repeat(exponent + 1 - figures.length())).toString();
    }
    return out.append(figures, 0, exponent + 1)
        .append('.')
        .append(figures, exponent + 1, figures.length())
        .toString();
  }

  private static String withoutTrailingZeros(String figures) {
    int end = figures.length();
    while (end > 1 && figures.charAt(end - 1) == '0') {
      end--;
    }
    return figures.substring(0, end);
  }

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

  /** The nearest double to 64 bits taken as an unsigned number. */
  static double unsigned(long bits) {
    if (bits >= 0) {
      return bits;
    }
    // The bit shifted out only decides ties; kept in the lowest place it still does.
    return (double) (bits >>> 1 | bits & 1) * 2;
  }
}
