package dev.sheaf.examples.demo;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes figures as people read them, the same in every locale. */
final class Figures {

  /** What stands for a figure that is not known. */
  static final String UNKNOWN = "-";

  private static final double KIBI = 1_024;
  private static final double PERCENT = 100;
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

  private Figures() {}

  /** Milliseconds with three significant digits and no false precision beyond. */
  static String millis(double millis) {
    return significant(millis) + " ms";
  }

  static String count(@Nullable Long count) {
    return count == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", count);
  }

  static String count(int count) {
    return count((Long) (long) count);
  }

  /** Bytes in the unit that fits, of 1,024. */
  static String bytes(@Nullable Long bytes) {
    if (bytes == null) {
      return UNKNOWN;
    }
    double value = bytes;
    int unit = 0;
    while (value >= KIBI && unit < UNITS.size() - 1) {
      value /= KIBI;
      unit++;
    }
    return (unit == 0 ? bytes.toString() : significant(value)) + " " + UNITS.get(unit);
  }

  static String factor(double factor) {
    return significant(factor) + "x";
  }

  /** A share, 0 to 1, in percent. */
  static String share(double share) {
    return significant(PERCENT * share) + " %";
  }

  private static String significant(double value) {
    double magnitude = Math.abs(value);
    String format = magnitude >= 99.95 ? "%,.0f" : magnitude >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
