// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.chaos.ChaosChecker.Findings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The runs of the chaos that were recorded, a line each, and their table in the documentation. */
final class ChaosRecord {

  private static final Path FILE = ChaosPage.DOCS.resolve("benchmarks/data/chaos-runs.csv");

  private static final String COLUMNS =
      "server,seed,minutes,faults,operations,doubled,lost,mixed up,stale,stuck,unknown outcome,"
          + "failed,lost when stopped,lost when demoted,heap MiB";

  private static final String[] HEADS = {
    "Servers",
    "Seed",
    "Minutes",
    "Faults",
    "Operations checked",
    "Doubled",
    "Lost",
    "Mixed up",
    "Stale",
    "Stuck",
    "Of unknown outcome",
    "Failed",
    "Lost by a stopped primary",
    "Lost by a demoted primary",
    "Growth of the heap, MiB"
  };

  /** The first column that is added up. */
  private static final int FIRST_SUMMED = 2;

  private ChaosRecord() {}

  /** Adds a run, and has the page say so. */
  static void add(ClusterChaos chaos, long seed, Duration time, Findings found) throws IOException {
    List<String> row = new ArrayList<>();
    row.add(chaos.server());
    row.add(String.valueOf(seed));
    row.add(String.format(Locale.ROOT, "%.1f", time.toSeconds() / 60.0));
    row.add(String.valueOf(chaos.faults().values().stream().mapToInt(Integer::intValue).sum()));
    row.add(String.valueOf(found.operations()));
    for (String kind : new String[] {"doubled", "lost", "mixed up", "stale", "stuck"}) {
      row.add(String.valueOf(found.of(kind)));
    }
    row.add(String.valueOf(found.unknown()));
    row.add(String.valueOf(found.failed()));
    row.add(String.valueOf(found.lostByServer()));
    row.add(String.valueOf(found.lostWhenDemoted()));
    row.add(String.valueOf(found.heapBytes() >> 20));
    if (!Files.exists(FILE)) {
      Files.writeString(FILE, COLUMNS + "\n");
    }
    Files.writeString(FILE, String.join(",", row) + "\n", StandardOpenOption.APPEND);
    ChaosPage.write(filledIn());
  }

  /** The page with the table of the file. */
  static String filledIn() throws IOException {
    return ChaosPage.replaced(ChaosPage.read(), "chaos runs", table());
  }

  /** A row for each run, and what they make together. */
  private static String table() throws IOException {
    List<String[]> runs =
        Files.readAllLines(FILE).stream().skip(1).map(line -> line.split(",")).toList();
    List<String> rows = new ArrayList<>();
    rows.add(row(HEADS));
    rows.add("|---" + "|---:".repeat(HEADS.length - 1) + "|");
    runs.forEach(run -> rows.add(row(run)));
    String[] sum = new String[HEADS.length];
    sum[0] = "**All**";
    sum[1] = "";
    sum[HEADS.length - 1] = "";
    IntStream.range(FIRST_SUMMED, HEADS.length - 1).forEach(i -> sum[i] = sum(runs, i));
    rows.add(row(sum));
    return String.join("\n", rows) + "\n";
  }

  private static String sum(List<String[]> runs, int column) {
    double sum = runs.stream().mapToDouble(run -> Double.parseDouble(run[column])).sum();
    return runs.stream().anyMatch(run -> run[column].contains("."))
        ? String.format(Locale.ROOT, "%.1f", sum)
        : String.valueOf((long) sum);
  }

  private static String row(String[] cells) {
    List<String> shown = new ArrayList<>();
    for (String cell : cells) {
      shown.add(ChaosPage.grouped(cell));
    }
    return "| " + String.join(" | ", shown) + " |";
  }
}
