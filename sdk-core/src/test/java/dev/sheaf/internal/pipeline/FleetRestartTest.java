package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sheaf.internal.common.Pace;
import io.lettuce.core.resource.Delay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A thousand instances with a connection to each of a hundred nodes, which all go away in the same
 * 10 ms and come back three seconds later: the attempts to connect and the looks at the topology,
 * second by second. Time is simulated; the pauses are those of the client. The table in the guide
 * is made here.
 */
class FleetRestartTest {

  private static final int INSTANCES = 1_000;
  private static final int NODES = 100;
  private static final long MILLI = Duration.ofMillis(1).toNanos();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long LOST_WITHIN = 10 * MILLI;
  private static final long BACK = 3 * SECOND;
  private static final int SECONDS = 40;

  /** Lettuce's defaults: the attempt that asks for a look, and the time between two looks. */
  private static final int ATTEMPT_THAT_LOOKS = 5;

  private static final long BETWEEN_LOOKS = 5 * SECOND;

  private static final Path PAGE =
      Path.of(System.getProperty("basedir", ".")).resolve("../docs/scaling.md");
  private static final String BEGIN = "<!-- generated: fleet -->\n\n";
  private static final String END = "\n<!-- end of fleet -->";

  /** What the fleet does, in each second after the loss. */
  private static final class Fleet {

    final int[] attempts = new int[SECONDS];
    final int[] looks = new int[SECONDS];
    long wellAt;

    Fleet(Delay delay, boolean paced) {
      Random random = new Random(22);
      for (int instance = 0; instance < INSTANCES; instance++) {
        long looksFrom = Long.MAX_VALUE;
        long well = 0;
        for (int node = 0; node < NODES; node++) {
          long now = (long) (random.nextDouble() * LOST_WITHIN);
          for (int attempt = 1; now < BACK; attempt++) {
            now += Math.max(0, delay.createDelay(attempt).toNanos());
            attempts[(int) (now / SECOND)]++;
            if (attempt == ATTEMPT_THAT_LOOKS) {
              looksFrom = Math.min(looksFrom, now);
            }
          }
          well = Math.max(well, now);
        }
        look(looksFrom, well, paced, random);
        wellAt = Math.max(wellAt, well);
      }
    }

    private void look(long from, long well, boolean paced, Random random) {
      long[] clock = {0};
      Pace pace =
          new Pace(
              Duration.ofSeconds(1), Duration.ofMillis(paced ? 200 : 0), () -> clock[0], random);
      for (long now = from; now < well; now += BETWEEN_LOOKS) {
        clock[0] = now;
        looks[(int) ((now + pace.takeTurn()) / SECOND)]++;
      }
    }

    double wellAfterSeconds() {
      return (double) (wellAt - BACK) / SECOND;
    }

    double greatestToMean() {
      int last = (int) (wellAt / SECOND);
      return Arrays.stream(attempts).max().orElseThrow()
          / IntStream.rangeClosed(0, last).map(i -> attempts[i]).average().orElseThrow();
    }
  }

  private static String table(Fleet sheaf, Fleet lettuce) {
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
    Fleet sheaf = new Fleet(ReconnectDelays.over(Delay.exponential()), true);
    Fleet lettuce = new Fleet(Delay.exponential(), false);
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
