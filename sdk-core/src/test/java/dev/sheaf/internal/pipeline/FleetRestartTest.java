// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lettuce.core.resource.Delay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A thousand instances with a connection to each of a hundred nodes, which all go away in the same
 * 10 ms and come back three seconds later: the attempts to connect and the looks at the topology,
 * second by second. The table in the guide is made here. {@link RealFleetTest} holds the simulation
 * against real clients.
 */
class FleetRestartTest {

  private static final int INSTANCES = 1_000;
  private static final int NODES = 100;
  private static final Duration AWAY = Duration.ofSeconds(3);

  private static final Path PAGE =
      Path.of(System.getProperty("basedir", ".")).resolve("../docs/scaling.md");
  private static final String BEGIN = "<!-- generated: fleet -->\n\n";
  private static final String END = "\n<!-- end of fleet -->";

  private static String table(SimulatedFleet sheaf, SimulatedFleet lettuce) {
    StringBuilder table = new StringBuilder("| | Sheaf | Lettuce's pauses |\n|---|---:|---:|\n");
    String[] seconds = {"1st", "2nd", "3rd", "4th"};
    for (int i = 0; i < seconds.length; i++) {
      row(
          table,
          "attempts to connect in the " + seconds[i] + " second",
          "%,d",
          round(sheaf.attempts[i]),
          round(lettuce.attempts[i]));
    }
    row(
        table,
        "looks at the topology",
        "%,d",
        Arrays.stream(sheaf.looks).sum(),
        Arrays.stream(lettuce.looks).sum());
    row(
        table,
        "the busiest second, times the mean",
        "%.1f",
        sheaf.greatestToMean(),
        lettuce.greatestToMean());
    row(
        table,
        "all well after the restart, seconds",
        "%.1f",
        sheaf.wellAfterSeconds(),
        lettuce.wellAfterSeconds());
    return table.toString();
  }

  /** Tens of thousands: what is below is chance. */
  private static int round(int attempts) {
    return Math.round(attempts / 10_000f) * 10_000;
  }

  private static void row(
      StringBuilder table, String label, String format, Object sheaf, Object lettuce) {
    table.append(
        String.format(
            Locale.ROOT, "| %s | " + format + " | " + format + " |%n", label, sheaf, lettuce));
  }

  @Test
  void wholeRestart_isOverSoon_andNoSecondStandsOut() throws Exception {
    SimulatedFleet sheaf =
        new SimulatedFleet(INSTANCES, NODES, AWAY, ReconnectDelays.over(Delay.exponential()), true);
    SimulatedFleet lettuce = new SimulatedFleet(INSTANCES, NODES, AWAY, Delay.exponential(), false);
    assertThat(sheaf.wellAfterSeconds()).isLessThan(1);
    assertThat(sheaf.greatestToMean()).isLessThan(3);
    // That it takes the pauses.
    assertThat(lettuce.greatestToMean()).isGreaterThan(3);
    String table = table(sheaf, lettuce);
    String page = Files.readString(PAGE);
    assertThat(page).contains(BEGIN, END);
    List<Double> published =
        numbers(page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END)));
    List<Double> drawn = numbers(table);
    assertThat(published).as(table).hasSameSizeAs(drawn);
    for (int i = 0; i < drawn.size(); i++) {
      // Each draw is another, if not by much.
      assertThat(published.get(i))
          .as(table)
          .isCloseTo(drawn.get(i), within(0.3 + drawn.get(i) / 20));
    }
  }

  private static List<Double> numbers(String table) {
    return Pattern.compile("\\d[\\d,.]*")
        .matcher(table)
        .results()
        .map(found -> Double.valueOf(found.group().replace(",", "")))
        .toList();
  }
}
