// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Recorded runs of the checks of order and delivery, and their table in the documentation. */
public final class DeliveryRecord {

  private static final Path FILE = ChaosPage.DOCS.resolve("benchmarks/data/delivery-runs.csv");

  /** The first column that is added up; before it, the test and its servers. */
  private static final int FIRST_SUMMED = 2;

  private static final int SUMMED = 3;

  private DeliveryRecord() {}

  /**
   * Adds a run and updates the page.
   *
   * @param unanswered operations that were cancelled, timed out or lost their connection
   * @param failed whether the run found an error
   */
  public static void add(
      String test, String servers, long operations, long unanswered, boolean failed)
      throws IOException {
    Files.writeString(
        FILE,
        "%s,%s,%d,%d,%d\n".formatted(test, servers, operations, unanswered, failed ? 1 : 0),
        StandardOpenOption.APPEND);
    ChaosPage.write(filledIn());
  }

  /** The page with the table of the file. */
  static String filledIn() throws IOException {
    return ChaosPage.replaced(ChaosPage.read(), "delivery runs", table());
  }

  /** A row for each test and kind of server, and their sum. */
  private static String table() throws IOException {
    Map<String, long[]> sums = new TreeMap<>();
    long[] all = new long[1 + SUMMED];
    for (String line : Files.readAllLines(FILE).stream().skip(1).toList()) {
      String[] cells = line.split(",");
      long[] sum =
          sums.computeIfAbsent("`" + cells[0] + "` | " + cells[1], key -> new long[1 + SUMMED]);
      for (long[] total : List.of(sum, all)) {
        total[0]++;
        for (int i = 0; i < SUMMED; i++) {
          total[1 + i] += Long.parseLong(cells[FIRST_SUMMED + i]);
        }
      }
    }
    List<String> rows = new ArrayList<>();
    rows.add("| Test | Servers | Runs | Operations | Without a reply | Failed runs |");
    rows.add("|---|---|---:|---:|---:|---:|");
    sums.forEach((test, sum) -> rows.add(row(test, sum)));
    rows.add(row("**All** | ", all));
    return String.join("\n", rows) + "\n";
  }

  private static String row(String name, long[] numbers) {
    StringBuilder row = new StringBuilder("| ").append(name).append(" |");
    for (long number : numbers) {
      row.append(' ').append(ChaosPage.grouped(String.valueOf(number))).append(" |");
    }
    return row.toString();
  }
}
