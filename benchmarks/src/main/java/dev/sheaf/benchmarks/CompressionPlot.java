package dev.sheaf.benchmarks;

import java.util.List;
import java.util.Locale;

/** Draws what algorithms save against how fast they are, as SVG that needs nothing else. */
final class CompressionPlot {

  private static final int WIDTH = 760;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int RIGHT = 740;
  private static final int TOP = 60;
  private static final int BOTTOM = 330;

  /** The scale of speeds is logarithmic: they differ by three powers of ten. */
  private static final double LOG_MIN = 0;

  private static final double LOG_MAX = 4;
  private static final double MAX_STORED = 0.5;
  private static final int STORED_STEPS = 5;

  private static final String INK = "#1b2733";
  private static final String COMPRESS = "#b3443f";
  private static final String DECOMPRESS = "#0b7a75";

  private CompressionPlot() {}

  /**
   * Draws.
   *
   * @param notes lines below the plot: what was measured, on what
   */
  static String of(List<CompressionTable.Row> rows, List<String> notes) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" role=\"img\" aria-labelledby=\"t d\""
                + " font-family=\"system-ui, sans-serif\" font-size=\"12\">%n",
            WIDTH,
            HEIGHT,
            WIDTH,
            HEIGHT));
    svg.append("<title id=\"t\">What is stored of a document, against the speed</title>\n");
    svg.append("<desc id=\"d\">");
    for (CompressionTable.Row row : rows) {
      svg.append(
          String.format(
              Locale.ROOT,
              "%s: %.3f stored, compresses %.0f MB/s, decompresses %.0f MB/s; ",
              row.name(),
              row.stored(),
              row.compressSpeed(),
              row.decompressSpeed()));
    }
    svg.append("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    text(svg, LEFT, 24, "start", INK, "Stored part of the original, against MB/s on one thread");
    legend(svg, LEFT, COMPRESS, "compress");
    legend(svg, LEFT + 110, DECOMPRESS, "decompress");
    axes(svg);
    for (CompressionTable.Row row : rows) {
      point(svg, row, row.compressSpeed(), COMPRESS, 14);
      point(svg, row, row.decompressSpeed(), DECOMPRESS, -8);
    }
    for (int i = 0; i < notes.size(); i++) {
      text(svg, LEFT, BOTTOM + 48 + 14 * i, "start", "#5b6773", notes.get(i));
    }
    return svg.append("</svg>\n").toString();
  }

  private static void legend(StringBuilder svg, int x, String colour, String name) {
    circle(svg, x + 5, 40, colour);
    text(svg, x + 16, 44, "start", INK, name);
  }

  private static void axes(StringBuilder svg) {
    for (int power = (int) LOG_MIN; power <= LOG_MAX; power++) {
      double speed = Math.pow(10, power);
      line(svg, x(speed), TOP, x(speed), BOTTOM);
      text(
          svg,
          x(speed),
          BOTTOM + 18,
          "middle",
          INK,
          String.format(Locale.ROOT, "%,.0f MB/s", speed));
    }
    for (int step = 0; step <= STORED_STEPS; step++) {
      double stored = MAX_STORED * step / STORED_STEPS;
      line(svg, LEFT, y(stored), RIGHT, y(stored));
      text(svg, LEFT - 8, y(stored) + 4, "end", INK, String.format(Locale.ROOT, "%.1f", stored));
    }
  }

  private static void point(
      StringBuilder svg, CompressionTable.Row row, double speed, String colour, int textOffset) {
    circle(svg, x(speed), y(row.stored()), colour);
    text(svg, x(speed), y(row.stored()) + textOffset, "middle", colour, row.name());
  }

  private static double x(double speed) {
    double log = Math.max(LOG_MIN, Math.min(LOG_MAX, Math.log10(speed)));
    return LEFT + (RIGHT - LEFT) * (log - LOG_MIN) / (LOG_MAX - LOG_MIN);
  }

  private static double y(double stored) {
    return BOTTOM - (BOTTOM - TOP) * Math.min(stored, MAX_STORED) / MAX_STORED;
  }

  private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n",
            x1,
            y1,
            x2,
            y2));
  }

  private static void circle(StringBuilder svg, double x, double y, String colour) {
    svg.append(
        String.format(
            Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>%n", x, y, colour));
  }

  private static void text(
      StringBuilder svg, double x, double y, String anchor, String colour, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n",
            x,
            y,
            anchor,
            colour,
            text.replace("&", "&amp;").replace("<", "&lt;")));
  }
}
