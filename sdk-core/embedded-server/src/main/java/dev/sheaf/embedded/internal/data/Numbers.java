// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers as Redis 7.0 reads and writes them. */
public final class Numbers {
  /** How many zeros are written out before an exponent is used. */
  private static final int PLAIN_ZEROS = 7;

  private static final int PLAIN_EXPONENT = 4;

  /** Beyond it, not every integer is a double. */
  private static final double EXACT_INTEGERS = 1L << 53;

  // The significand of the x86 extended type, with which INCRBYFLOAT computes.
  private static final int EXTENDED_BITS = 64;

  private static final Pattern HEXADECIMAL =
      Pattern.compile("0x([0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+)(p[+-]?[0-9]+)?");

  private static final Pattern DECIMAL =
      Pattern.compile("([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?");

  /** This many digits convert to a double without rounding. */
  private static final int EXACT_DIGITS = 15;

  private Numbers() {}

  /** Parses a canonical decimal integer (no plus, no leading zero, no space); null otherwise. */
  public static @Nullable Long parseLong(byte[] b) {
    int n = b.length;
    if (n == 0 || n > 20) {
      return null;
    }
    boolean negative = b[0] == '-';
    int i = negative ? 1 : 0;
    if (i == n || b[i] < '0' || b[i] > '9') {
      return null;
    }
    if (b[i] == '0') {
      return n == 1 ? 0L : null;
    }
    long value = 0; // Accumulated as a negative number, which reaches one further.
    for (; i < n; i++) {
      int digit = b[i] - '0';
      if (digit < 0 || digit > 9 || value < Long.MIN_VALUE / 10) {
        return null;
      }
      value *= 10;
      if (value < Long.MIN_VALUE + digit) {
        return null;
      }
      value -= digit;
    }
    if (!negative && value == Long.MIN_VALUE) {
      return null;
    }
    return negative ? value : -value;
  }

  /** Parses what strtod accepts as a whole; null for anything else and for NaN. */
  public static @Nullable Double parseDouble(byte[] b) {
    if (b.length == 0) {
      return null;
    }
    if (b.length <= EXACT_DIGITS && isDigits(b)) {
      return (double) parseDigits(b, 0, b.length);
    }
    String s = Bytes.lower(b);
    String unsigned = s.startsWith("+") || s.startsWith("-") ? s.substring(1) : s;
    if (unsigned.equals("inf") || unsigned.equals("infinity")) {
      return s.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    if (unsigned.startsWith("0x") && HEXADECIMAL.matcher(unsigned).matches()) {
      return Double.valueOf(unsigned.contains("p") ? s : s + "p0");
    }
    return DECIMAL.matcher(unsigned).matches() ? Double.valueOf(s) : null;
  }

  private static boolean isDigits(byte[] b) {
    for (byte digit : b) {
      if (digit < '0' || digit > '9') {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of at most 18 digits; leading zeros are allowed. */
  public static long parseDigits(byte[] b, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      value = value * 10 + (b[i] - '0');
    }
    return value;
  }

  /** Formats as C's {@code %.17g}. */
  public static String format(double d) {
    return Double.isNaN(d) ? "nan" : general(d, 17);
  }

  /** Formats as C's {@code %.<digits>g}. */
  public static String general(double d, int digits) {
    if (Double.isNaN(d)) {
      return Double.doubleToRawLongBits(d) < 0 ? "-nan" : "nan";
    }
    if (Double.isInfinite(d)) {
      return d > 0 ? "inf" : "-inf";
    }
    if (d == Math.rint(d) && Math.abs(d) < (digits >= 16 ? EXACT_INTEGERS : Math.pow(10, digits))) {
      return d == 0 && 1 / d < 0 ? "-0" : Long.toString((long) d);
    }
    BigDecimal v = new BigDecimal(d).round(new MathContext(digits, RoundingMode.HALF_EVEN));
    int exponent = v.precision() - v.scale() - 1;
    return exponent >= -4 && exponent < digits
        ? v.stripTrailingZeros().toPlainString()
        : scientific(v.stripTrailingZeros(), Math.abs(exponent) < 10 ? "0" : "");
  }

  private static String scientific(BigDecimal v, String beforeExponent) {
    String digits = v.unscaledValue().abs().toString();
    int exponent = v.precision() - v.scale() - 1;
    String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
    String sign = v.signum() < 0 ? "-" : "";
    String mark = exponent < 0 ? "e-" : "e+";
    return sign + digits.charAt(0) + fraction + mark + beforeExponent + Math.abs(exponent);
  }

  /**
   * Formats with the fewest digits that parse to the same number, as servers newer than Redis 7.0.
   */
  public static String formatShortest(double d) {
    if (d == 0 || Double.isInfinite(d) || Double.isNaN(d)) {
      return format(d);
    }
    if (d == Math.rint(d) && Math.abs(d) < Long.MAX_VALUE / 2.0) {
      return Long.toString((long) d);
    }
    BigDecimal exact = new BigDecimal(d);
    int precision = 1;
    BigDecimal v = exact.round(new MathContext(precision));
    while (v.doubleValue() != d) {
      v = exact.round(new MathContext(++precision));
    }
    v = v.stripTrailingZeros();
    int exponent = v.precision() - v.scale() - 1;
    boolean plain =
        v.scale() <= 0
            ? Math.abs(exponent) < v.precision() + PLAIN_ZEROS
            : v.scale() < PLAIN_ZEROS || Math.abs(exponent) < PLAIN_EXPONENT;
    return plain ? v.toPlainString() : scientific(v, "");
  }

  /** Parses a decimal for INCRBYFLOAT, rounded to the extended type; null if not finite. */
  public static @Nullable BigDecimal parseExtended(byte[] b) {
    Double check = parseDouble(b);
    if (check == null || (check.isInfinite() && Bytes.lower(b).contains("inf"))) {
      return null;
    }
    return extended(
        Bytes.lower(b).contains("x") ? new BigDecimal(check) : new BigDecimal(Bytes.text(b)));
  }

  public static BigDecimal extended(BigDecimal v) {
    if (v.signum() == 0) {
      return BigDecimal.ZERO;
    }
    BigInteger unscaled = v.unscaledValue().abs();
    BigInteger numerator = unscaled;
    BigInteger denominator = BigInteger.ONE;
    if (v.scale() >= 0) {
      denominator = BigInteger.TEN.pow(v.scale());
    } else {
      numerator = numerator.multiply(BigInteger.TEN.pow(-v.scale()));
    }
    int shift = EXTENDED_BITS - (numerator.bitLength() - denominator.bitLength());
    BigInteger q = quotient(numerator, denominator, shift);
    if (q.bitLength() > EXTENDED_BITS) {
      shift -= q.bitLength() - EXTENDED_BITS;
      q = quotient(numerator, denominator, shift);
    }
    BigDecimal result =
        shift >= 0
            ? new BigDecimal(q).divide(new BigDecimal(BigInteger.ONE.shiftLeft(shift)))
            : new BigDecimal(q.shiftLeft(-shift));
    return v.signum() < 0 ? result.negate() : result;
  }

  private static BigInteger quotient(BigInteger numerator, BigInteger denominator, int shift) {
    BigInteger n = shift >= 0 ? numerator.shiftLeft(shift) : numerator;
    BigInteger d = shift >= 0 ? denominator : denominator.shiftLeft(-shift);
    BigInteger[] parts = n.divideAndRemainder(d);
    int half = parts[1].shiftLeft(1).compareTo(d);
    boolean up = half > 0 || (half == 0 && parts[0].testBit(0));
    return up ? parts[0].add(BigInteger.ONE) : parts[0];
  }

  /** Formats as C's {@code %.17Lf}, without trailing zeros. */
  public static String formatExtended(BigDecimal v) {
    BigDecimal rounded = v.setScale(17, RoundingMode.HALF_EVEN);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}
