package dev.sheaf.benchmarks;

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
  private static final int LABEL_GAP = 9;

  private static final String TITLE = "What is stored of a document, against the speed";
  private static final String COMPRESS = "#b3443f";
  private static final String DECOMPRESS = "#0b7a75";

  private final Svg svg;
  private final double minStored;
  private final double maxStored;

  private CompressionPlot(List<CompressionTable.Row> rows) {
    double least = rows.stream().mapToDouble(CompressionTable.Row::stored).min().orElse(0);
    double most = rows.stream().mapToDouble(CompressionTable.Row::stored).max().orElse(1);
    this.minStored = Math.floor(least / STORED_STEP) * STORED_STEP;
    this.maxStored = Math.ceil(most / STORED_STEP) * STORED_STEP;
    this.svg = new Svg(WIDTH, HEIGHT, TITLE, inWords(rows));
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
    svg.text(LEFT, 24, "start", Svg.INK, "Stored part of the original, against MB/s on one thread");
    legend(LEFT, COMPRESS, "compress");
    legend(LEFT + 110, DECOMPRESS, "decompress");
    axes();
    for (CompressionTable.Row row : rows) {
      svg.circle(x(row.compressSpeed()), y(row.stored()), COMPRESS);
      svg.circle(x(row.decompressSpeed()), y(row.stored()), DECOMPRESS);
    }
    for (CompressionTable.Row row : rows) {
      label(row, row.decompressSpeed(), DECOMPRESS, true);
      label(row, row.compressSpeed(), COMPRESS, x(row.compressSpeed()) < (LEFT + RIGHT) / 4.0);
    }
    svg.notes(LEFT, BOTTOM + 48, notes);
    return svg.drawn();
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
    svg.circle(x + 5, 40, colour);
    svg.text(x + 16, 44, "start", Svg.INK, name);
  }

  private void axes() {
    for (int power = (int) LOG_MIN; power <= LOG_MAX; power++) {
      double speed = Math.pow(10, power);
      svg.line(x(speed), TOP, x(speed), BOTTOM, Svg.GRID);
      svg.text(
          x(speed), BOTTOM + 18, "middle", Svg.INK, String.format(Locale.ROOT, "%,.0f", speed));
    }
    svg.text(RIGHT + 32, BOTTOM + 18, "start", Svg.INK, "MB/s");
    int steps = (int) Math.round((maxStored - minStored) / STORED_STEP);
    for (int step = 0; step <= steps; step++) {
      double stored = minStored + step * STORED_STEP;
      svg.line(LEFT, y(stored), RIGHT, y(stored), Svg.GRID);
      svg.text(LEFT - 8, y(stored) + 4, "end", Svg.INK, String.format(Locale.ROOT, "%.2f", stored));
    }
  }

  private void label(CompressionTable.Row row, double speed, String colour, boolean toTheRight) {
    svg.label(x(speed), y(row.stored()), LABEL_GAP, toTheRight, colour, row.name());
  }

  private static double x(double speed) {
    double log = Math.max(LOG_MIN, Math.min(LOG_MAX, Math.log10(speed)));
    return LEFT + (RIGHT - LEFT) * (log - LOG_MIN) / (LOG_MAX - LOG_MIN);
  }

  private double y(double stored) {
    return BOTTOM - (BOTTOM - TOP) * (stored - minStored) / (maxStored - minStored);
  }
}
