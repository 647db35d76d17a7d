package dev.sheaf.examples.demo;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes figures as people read them, the same in every locale. */
final class Text {

  private Text() {}

  static String millis(double millis) {
    return significant(millis) + " ms";
  }

  static String count(@Nullable Number count) {
    return count == null ? "-" : String.format(Locale.ROOT, "%,d", count);
  }

  static String bytes(@Nullable Long bytes) {
    if (bytes == null) {
      return "-";
    }
    List<String> units = List.of("B", "KiB", "MiB", "GiB");
    int unit = 0;
    double value = bytes;
    for (; value >= 1_024 && unit < units.size() - 1; unit++) {
      value /= 1_024;
    }
    return (unit == 0 ? bytes.toString() : significant(value)) + " " + units.get(unit);
  }

  /** Three significant digits. */
  static String significant(double value) {
    String format = value >= 99.95 ? "%,.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
