package dev.sheaf.examples.demo;

import java.util.List;
import java.util.Locale;

/**
 * Bars from zero on a linear scale, as SVG that fills the width it is given; the text keeps its
 * size on a small screen.
 */
final class BarChart {

  private static final int ROW_HEIGHT = 42;
  private static final int TEXT_BASELINE = 14;
  private static final int BAR_TOP = 20;
  private static final int BAR_HEIGHT = 14;
  private static final double PERCENT = 100;

  private BarChart() {}

  /**
   * A bar.
   *
   * @param style the class of its colour
   * @param shown the value as it is written beside the name
   */
  record Bar(String name, String style, double value, String shown) {}

  static String horizontal(String title, List<Bar> bars) {
    double greatest = bars.stream().mapToDouble(Bar::value).max().orElse(0);
    int height = bars.size() * ROW_HEIGHT;
    StringBuilder svg = new StringBuilder();
    svg.append("<figure><figcaption aria-hidden=\"true\">")
        .append(Html.escape(title))
        .append("</figcaption>\n")
        .append("<svg role=\"img\" height=\"")
        .append(height)
        .append("\" aria-label=\"")
        .append(Html.escape(inWords(title, bars)))
        .append("\">\n<title>")
        .append(Html.escape(title))
        .append("</title>\n");
    for (int i = 0; i < bars.size(); i++) {
      append(svg, bars.get(i), i * ROW_HEIGHT, greatest);
    }
    return svg.append("<line class=\"axis\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"")
        .append(height)
        .append("\"/>\n</svg></figure>\n")
        .toString();
  }

  private static void append(StringBuilder svg, Bar bar, int top, double greatest) {
    double width = greatest > 0 ? PERCENT * bar.value() / greatest : 0;
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"6\" y=\"%d\">%s</text>"
                + "<text class=\"value\" x=\"100%%\" y=\"%d\" text-anchor=\"end\">%s</text>"
                + "<rect class=\"%s\" x=\"0\" y=\"%d\" width=\"%.3f%%\" height=\"%d\"/>%n",
            top + TEXT_BASELINE,
            Html.escape(bar.name()),
            top + TEXT_BASELINE,
            Html.escape(bar.shown()),
            Html.escape(bar.style()),
            top + BAR_TOP,
            width,
            BAR_HEIGHT));
  }

  private static String inWords(String title, List<Bar> bars) {
    StringBuilder words = new StringBuilder(title).append(": ");
    for (Bar bar : bars) {
      words.append(bar.name()).append(' ').append(bar.shown()).append("; ");
    }
    return words.toString().strip();
  }
}
