package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws what algorithms save against how fast they are, as SVG that needs nothing else. */
final class CompressionPlot {

  private static final int WIDTH = 860;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int RIGHT = 700;
  private static final int TOP = 60;
  private static final int BOTTOM = 330;

  /** The scale of speeds is logarithmic: they differ by three powers of ten. */
  private static final double LOG_MIN = 0;

  private static final double LOG_MAX = 4;
  private static final double STORED_STEP = 0.05;
  private static final int LABEL_HEIGHT = 14;
  private static final int LABEL_GAP = 9;
  private static final double CHARACTER_WIDTH = 6.3;

  private static final String GRID = "#dddddd";
  private static final String INK = "#1b2733";
  private static final String COMPRESS = "#b3443f";
  private static final String DECOMPRESS = "#0b7a75";

  private final StringBuilder svg = new StringBuilder();
  private final List<Box> labels = new ArrayList<>();
  private final double minStored;
  private final double maxStored;

  private record Box(double left, double right, double baseline) {
    boolean overlaps(Box other) {
      return left < other.right
          && other.left < right
          && Math.abs(baseline - other.baseline) < LABEL_HEIGHT;
    }
  }

  private CompressionPlot(List<CompressionTable.Row> rows) {
    double least = rows.stream().mapToDouble(CompressionTable.Row::stored).min().orElse(0);
    double most = rows.stream().mapToDouble(CompressionTable.Row::stored).max().orElse(1);
    this.minStored = Math.floor(least / STORED_STEP) * STORED_STEP;
    this.maxStored = Math.ceil(most / STORED_STEP) * STORED_STEP;
  }

  /**
   * Draws.
   *
   * @param notes lines below the plot: what was measured, on what
   */
  static String of(List<CompressionTable.Row> rows, List<String> notes) {
    return new CompressionPlot(rows).draw(rows, notes);
  }

  private String draw(List<CompressionTable.Row> rows, List<String> notes) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " role=\"img\" aria-labelledby=\"t d\" font-family=\"system-ui, sans-serif\""
            + " font-size=\"12\">",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    add("<title id=\"t\">What is stored of a document, against the speed</title>");
    add("<desc id=\"d\">%s</desc>", inWords(rows));
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>");
    text(LEFT, 24, "start", INK, "Stored part of the original, against MB/s on one thread");
    legend(LEFT, COMPRESS, "compress");
    legend(LEFT + 110, DECOMPRESS, "decompress");
    axes();
    for (CompressionTable.Row row : rows) {
      circle(x(row.compressSpeed()), y(row.stored()), COMPRESS);
      circle(x(row.decompressSpeed()), y(row.stored()), DECOMPRESS);
    }
    for (CompressionTable.Row row : rows) {
      label(row, row.decompressSpeed(), DECOMPRESS, true);
      label(row, row.compressSpeed(), COMPRESS, x(row.compressSpeed()) < (LEFT + RIGHT) / 4.0);
    }
    for (int i = 0; i < notes.size(); i++) {
      text(LEFT, BOTTOM + 48 + LABEL_HEIGHT * i, "start", "#5b6773", notes.get(i));
    }
    add("</svg>");
    return svg.toString();
  }

  private static String inWords(List<CompressionTable.Row> rows) {
    StringBuilder words = new StringBuilder();
    for (CompressionTable.Row row : rows) {
      words.append(
          String.format(
              Locale.ROOT,
              "%s: %.3f stored, compresses %.0f MB/s, decompresses %.0f MB/s; ",
              row.name(),
              row.stored(),
              row.compressSpeed(),
              row.decompressSpeed()));
    }
    return words.toString().strip();
  }

  private void legend(int x, String colour, String name) {
    circle(x + 5, 40, colour);
    text(x + 16, 44, "start", INK, name);
  }

  private void axes() {
    for (int power = (int) LOG_MIN; power <= LOG_MAX; power++) {
      double speed = Math.pow(10, power);
      line(x(speed), TOP, x(speed), BOTTOM, GRID);
      text(x(speed), BOTTOM + 18, "middle", INK, String.format(Locale.ROOT, "%,.0f", speed));
    }
    text(RIGHT + 32, BOTTOM + 18, "start", INK, "MB/s");
    int steps = (int) Math.round((maxStored - minStored) / STORED_STEP);
    for (int step = 0; step <= steps; step++) {
      double stored = minStored + step * STORED_STEP;
      line(LEFT, y(stored), RIGHT, y(stored), GRID);
      text(LEFT - 8, y(stored) + 4, "end", INK, String.format(Locale.ROOT, "%.2f", stored));
    }
  }

  /** Beside its point, or as near above or below as no other label is. */
  private void label(CompressionTable.Row row, double speed, String colour, boolean toTheRight) {
    double pointX = x(speed);
    double pointY = y(row.stored());
    double width = row.name().length() * CHARACTER_WIDTH;
    double left = toTheRight ? pointX + LABEL_GAP : pointX - LABEL_GAP - width;
    Box box = new Box(left, left + width, pointY + 4);
    for (int away = 1; labels.stream().anyMatch(box::overlaps); away++) {
      int shift = (away % 2 == 0 ? 1 : -1) * (away + 1) / 2 * LABEL_HEIGHT;
      box = new Box(left, left + width, pointY + 4 + shift);
    }
    labels.add(box);
    double end = toTheRight ? box.left() - 2 : box.right() + 2;
    line(pointX, pointY, end, box.baseline() - 4, colour);
    text(
        toTheRight ? box.left() : box.right(),
        box.baseline(),
        toTheRight ? "start" : "end",
        colour,
        row.name());
  }

  private static double x(double speed) {
    double log = Math.max(LOG_MIN, Math.min(LOG_MAX, Math.log10(speed)));
    return LEFT + (RIGHT - LEFT) * (log - LOG_MIN) / (LOG_MAX - LOG_MIN);
  }

  private double y(double stored) {
    return BOTTOM - (BOTTOM - TOP) * (stored - minStored) / (maxStored - minStored);
  }

  private void line(double x1, double y1, double x2, double y2, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
        x1, y1, x2, y2, colour);
  }

  private void circle(double x, double y, String colour) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>", x, y, colour);
  }

  private void text(double x, double y, String anchor, String colour, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
        x, y, anchor, colour, text.replace("&", "&amp;").replace("<", "&lt;"));
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
