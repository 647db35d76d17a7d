package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A picture under construction, as SVG that needs nothing else and says in words what it shows. Not
 * thread-safe.
 */
final class Svg {

  static final String GRID = "#dddddd";
  static final String INK = "#1b2733";
  static final String FAINT = "#5b6773";

  private static final int LINE_HEIGHT = 14;
  private static final double CHARACTER_WIDTH = 6.3;

  private final StringBuilder svg = new StringBuilder();
  private final List<Box> labels = new ArrayList<>();

  private record Box(double left, double right, double baseline) {
    boolean overlaps(Box other) {
      return left < other.right
          && other.left < right
          && Math.abs(baseline - other.baseline) < LINE_HEIGHT;
    }
  }

  Svg(int width, int height, String title, String inWords) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " role=\"img\" aria-labelledby=\"t d\" font-family=\"system-ui, sans-serif\""
            + " font-size=\"12\">",
        width, height, width, height);
    add("<title id=\"t\">%s</title>", escaped(title));
    add("<desc id=\"d\">%s</desc>", escaped(inWords));
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>");
  }

  void line(double x1, double y1, double x2, double y2, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
        x1, y1, x2, y2, colour);
  }

  /** A line that is data. */
  void curve(double x1, double y1, double x2, double y2, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
            + " stroke-width=\"2\"/>",
        x1, y1, x2, y2, colour);
  }

  void circle(double x, double y, String colour) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>", x, y, colour);
  }

  void text(double x, double y, String anchor, String colour, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
        x, y, anchor, colour, escaped(text));
  }

  /** Small lines below a picture: what was measured, on what. */
  void notes(double x, double y, List<String> notes) {
    for (int i = 0; i < notes.size(); i++) {
      text(x, y + LINE_HEIGHT * i, "start", FAINT, notes.get(i));
    }
  }

  /** Names a point, beside it, or as near above or below as no other name is. */
  void label(double x, double y, double gap, boolean toTheRight, String colour, String name) {
    double width = name.length() * CHARACTER_WIDTH;
    double left = toTheRight ? x + gap : x - gap - width;
    Box box = new Box(left, left + width, y + 4);
    for (int away = 1; labels.stream().anyMatch(box::overlaps); away++) {
      int shift = (away % 2 == 0 ? 1 : -1) * (away + 1) / 2 * LINE_HEIGHT;
      box = new Box(left, left + width, y + 4 + shift);
    }
    labels.add(box);
    double end = toTheRight ? box.left() - 2 : box.right() + 2;
    line(x, y, end, box.baseline() - 4, colour);
    String anchor = toTheRight ? "start" : "end";
    text(toTheRight ? box.left() : box.right(), box.baseline(), anchor, colour, name);
  }

  /** The picture as it stands. */
  String drawn() {
    return svg + "</svg>\n";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
