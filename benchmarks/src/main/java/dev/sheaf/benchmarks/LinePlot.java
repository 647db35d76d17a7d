package dev.sheaf.benchmarks;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Curves over a few named steps, as SVG.
 *
 * @param title what is shown
 * @param steps the names of the steps from left to right
 * @param stepUnit what the steps count
 * @param logarithmic whether the values differ by powers of ten
 * @param curves what is drawn
 * @param notes lines below the plot: what was measured, on what
 */
record LinePlot(
    String title,
    List<String> steps,
    String stepUnit,
    boolean logarithmic,
    List<Curve> curves,
    List<String> notes) {

  /**
   * A curve.
   *
   * @param name its name
   * @param values one for each step; null where there is none
   */
  record Curve(String name, List<@Nullable Double> values) {}

  private static final int WIDTH = 900;
  private static final int LEFT = 80;
  private static final int RIGHT = 640;
  private static final int TOP = 50;
  private static final int BOTTOM = 340;
  private static final int GRID_LINES = 5;
  private static final int NOTE_HEIGHT = 14;
  private static final int LABEL_GAP = 14;
  private static final double HEADROOM = 1.05;

  /** People read these between powers of ten. */
  private static final double[] NICE = {1, 2, 5};

  private static final String SHEAF = "#0b7a75";

  /** Sheaf's curves have a colour of their own. */
  private static final List<String> OTHERS =
      List.of("#b3443f", "#7a5195", "#d98b2b", "#3b6fb6", "#8a8f2c", "#b0549c", "#6b6b6b");

  String drawn() {
    int height = BOTTOM + 70 + NOTE_HEIGHT * notes.size();
    Svg svg = new Svg(WIDTH, height, title, inWords());
    svg.text(LEFT, 24, "start", Svg.INK, title);
    for (int i = 0; i < steps.size(); i++) {
      svg.line(x(i), TOP, x(i), BOTTOM, Svg.GRID);
      svg.text(x(i), BOTTOM + 18, anchor(i), Svg.INK, steps.get(i));
    }
    svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 38, "middle", Svg.INK, stepUnit);
    grid(svg);
    int other = 0;
    for (Curve curve : curves) {
      String colour =
          curve.name().startsWith("SHEAF") ? SHEAF : OTHERS.get(other++ % OTHERS.size());
      draw(svg, curve, colour);
    }
    svg.notes(LEFT, BOTTOM + 62, notes);
    return svg.drawn();
  }

  /** The last name ends at its step: beyond are the names of the curves. */
  private String anchor(int step) {
    return step == steps.size() - 1 ? "end" : "middle";
  }

  private void grid(Svg svg) {
    if (logarithmic) {
      for (double power = Math.floor(bottom()); power <= Math.ceil(top()); power++) {
        for (double factor : NICE) {
          gridLine(svg, factor * Math.pow(10, power));
        }
      }
      return;
    }
    double step = niceStep(top() / GRID_LINES);
    for (double value = 0; value <= top(); value += step) {
      gridLine(svg, value);
    }
  }

  private void gridLine(Svg svg, double value) {
    if (y(value) < TOP - 1 || y(value) > BOTTOM + 1) {
      return;
    }
    svg.line(LEFT, y(value), RIGHT, y(value), Svg.GRID);
    svg.text(LEFT - 8, y(value) + 4, "end", Svg.INK, Numbers.rounded(value));
  }

  /** 1, 2 or 5 times a power of ten. */
  private static double niceStep(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (double factor : NICE) {
      if (factor * power >= least) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private void draw(Svg svg, Curve curve, String colour) {
    int last = -1;
    for (int i = 0; i < curve.values().size(); i++) {
      Double value = curve.values().get(i);
      if (value == null) {
        continue;
      }
      if (last >= 0) {
        svg.curve(
            x(last), y(Objects.requireNonNull(curve.values().get(last))), x(i), y(value), colour);
      }
      svg.circle(x(i), y(value), colour);
      last = i;
    }
    if (last >= 0) {
      double end = Objects.requireNonNull(curve.values().get(last));
      svg.label(x(last), y(end), RIGHT - x(last) + LABEL_GAP, true, colour, curve.name());
    }
  }

  private double x(int step) {
    double width = (double) (RIGHT - LEFT) / Math.max(1, steps.size() - 1);
    return LEFT + width * step;
  }

  private double y(double value) {
    double place = logarithmic ? Math.log10(value) : value;
    return BOTTOM - (BOTTOM - TOP) * (place - bottom()) / (top() - bottom());
  }

  private double top() {
    double most = all().max().orElse(1);
    return logarithmic ? Math.log10(most) + Math.log10(HEADROOM) : most * HEADROOM;
  }

  private double bottom() {
    return logarithmic ? Math.log10(all().min().orElse(1)) - Math.log10(HEADROOM) : 0;
  }

  private java.util.stream.DoubleStream all() {
    return curves.stream()
        .flatMap(curve -> curve.values().stream())
        .filter(Objects::nonNull)
        .mapToDouble(value -> value);
  }

  private String inWords() {
    StringBuilder words = new StringBuilder();
    for (Curve curve : curves) {
      words.append(curve.name()).append(':');
      for (int i = 0; i < steps.size(); i++) {
        Double value = curve.values().get(i);
        if (value != null) {
          words.append(' ').append(steps.get(i)).append(' ').append(Numbers.rounded(value));
        }
      }
      words.append("; ");
    }
    return words.toString().strip();
  }
}
