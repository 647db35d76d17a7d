// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.availability.AvailabilityOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A thousand instances that start in the same 50 ms, as in a deployment: what one server sees of
 * their PINGs, with the spread and without. The plot in the guide is drawn here.
 */
class JitterTest {

  private static final int INSTANCES = 1_000;
  private static final long BUCKET_MILLIS = 100;
  private static final int BUCKETS = 600;
  private static final long START_MILLIS = 50;
  private static final AvailabilityOptions OPTIONS = AvailabilityOptions.defaults();
  private static final Path DOCS = Path.of(System.getProperty("basedir", ".")).resolve("../docs");
  private static final Path PAGE = DOCS.resolve("benchmarks/availability.md");
  private static final Path IMAGES = DOCS.resolve("images");

  /** PINGs per bucket. */
  private static int[] simulate(boolean spread) {
    int[] pings = new int[BUCKETS];
    Random random = new Random(42);
    for (int instance = 0; instance < INSTANCES; instance++) {
      Jitter own = new Jitter(OPTIONS.interval(), random);
      double millis = random.nextDouble() * START_MILLIS;
      if (spread) {
        millis += own.startOffsetNanos() / 1e6;
      }
      while (millis < BUCKETS * BUCKET_MILLIS) {
        pings[(int) (millis / BUCKET_MILLIS)]++;
        double pause = own.pauseNanos() / 1e6;
        millis += spread ? pause : OPTIONS.interval().toMillis();
      }
    }
    return pings;
  }

  private static double mean(int[] pings) {
    return Arrays.stream(pings).average().orElseThrow();
  }

  private static int peak(int[] pings) {
    return Arrays.stream(pings).max().orElseThrow();
  }

  /** The first interval differs: the instances are only starting. */
  private static int[] settled(int[] pings) {
    return Arrays.copyOfRange(pings, 10, pings.length);
  }

  @Test
  void thousandInstances_giveAFlatRate() {
    int[] pings = settled(simulate(true));
    assertThat(peak(pings) / mean(pings)).isLessThan(1.4);
    assertThat(Arrays.stream(pings).min().orElseThrow() / mean(pings)).isGreaterThan(0.6);
    // That it takes the spread to be flat.
    int[] inStep = settled(simulate(false));
    assertThat(peak(inStep) / mean(inStep)).isGreaterThan(5);
  }

  @Test
  void pauses_areNeverLongerThanTheInterval_norShorterThanTheJitterAllows() {
    Jitter spread = new Jitter(Duration.ofMillis(900), new Random(1));
    for (int i = 0; i < 10_000; i++) {
      assertThat(spread.pauseNanos()).isBetween(540_000_000L, 900_000_000L);
      assertThat(spread.startOffsetNanos()).isBetween(0L, 900_000_000L);
    }
  }

  @Test
  void reconnects_beginAtOnce_andSlowDownToHalfTheInterval() {
    Jitter spread = new Jitter(Duration.ofMillis(900), new Random(1));
    for (int i = 0; i < 1_000; i++) {
      assertThat(spread.reconnectNanos(0)).isBetween(0L, 20_000_000L);
      assertThat(spread.reconnectNanos(1)).isBetween(25_000_000L, 50_000_000L);
      assertThat(spread.reconnectNanos(3)).isBetween(100_000_000L, 200_000_000L);
      assertThat(spread.reconnectNanos(40)).isBetween(225_000_000L, 450_000_000L);
    }
  }

  /** Draws into target, and compares with what the guide shows. */
  @Test
  void plotAndFiguresInTheGuide_areThoseOfTheSimulation() throws IOException {
    int[] spread = simulate(true);
    int[] inStep = simulate(false);
    String plot = plot(inStep, spread);
    Path drawn = Path.of(System.getProperty("basedir", ".")).resolve("target");
    Files.createDirectories(drawn);
    Files.writeString(drawn.resolve("availability-spread.svg"), plot);
    assertThat(IMAGES.resolve("availability-spread.svg")).hasContent(plot);
    String rate = String.format(Locale.ROOT, "%,.0f", mean(settled(spread)) * 10);
    String figures =
        String.format(
            Locale.ROOT,
            "in step %.1f times the mean, spread %.2f times",
            peak(settled(inStep)) / mean(settled(inStep)),
            peak(settled(spread)) / mean(settled(spread)));
    String guide = Files.readString(PAGE).replaceAll("\\s+", " ");
    assertThat(guide).contains(figures).contains(rate + " PINGs a second");
  }

  private static final int WIDTH = 760;
  private static final int PANEL = 130;
  private static final int SHOWN = 100;

  private static String plot(int[] inStep, int[] spread) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n",
            WIDTH,
            2 * PANEL + 90));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    panel(svg, 30, "PINGs in 100 ms, every 900 ms without spread", inStep, "#b3443f");
    panel(svg, 60 + PANEL, "PINGs in 100 ms, start offset and jitter of 0.4", spread, "#2f6fab");
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"60\" y=\"%d\">0 s</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">10 s"
                + " after 1,000 instances started</text>%n",
            2 * PANEL + 80,
            WIDTH - 10,
            2 * PANEL + 80));
    return svg.append("</svg>\n").toString().replace("\r\n", "\n");
  }

  private static void panel(StringBuilder svg, int top, String title, int[] pings, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"60\" y=\"%d\" font-weight=\"bold\">%s</text>%n",
            top - 8,
            title));
    for (int tick : new int[] {0, 500, 1000}) {
      int y = top + PANEL - tick * PANEL / INSTANCES;
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"52\" y=\"%d\" text-anchor=\"end\">%d</text><line x1=\"58\" x2=\"%d\""
                  + " y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>%n",
              y + 4,
              tick,
              WIDTH - 10,
              y,
              y));
    }
    double step = (WIDTH - 70.0) / SHOWN;
    for (int i = 0; i < SHOWN; i++) {
      int height = Math.round((float) pings[i] * PANEL / INSTANCES);
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
              60 + i * step,
              top + PANEL - height,
              step - 1,
              height,
              colour));
    }
  }
}
