// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.chaos;

import dev.sheaf.chaos.ChaosPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The tables that compare clients under faults, made of a file with a client, a measure and a value
 * in each line.
 */
final class ChaosTables {

  private static final Path FILE = ChaosPage.DOCS.resolve("benchmarks/data/chaos.csv");

  private static final String[][] CHAOS = {
    {"minutes", "minutes"},
    {"calls", "calls answered, each checked"},
    {"doubled", "**doubled**"},
    {"lost", "**lost**"},
    {"mixed up", "**mixed up**"},
    {"stale", "**stale**"},
    {"stuck", "**stuck**"},
    {"unknown", "counts of unknown outcome"},
    {"failed", "calls that failed"},
    {"lost by servers", "losses of a primary that was stopped or demoted"},
    {"paused", "seconds in which a thread could not count"},
    {"heap", "growth of the heap at most, MiB"}
  };
  private static final String[][] PROBES = {
    {"demotion", "live demotion"}, {"black hole", "black hole"}, {"moved", "MOVED to itself"}
  };

  private ChaosTables() {}

  /** Replaces what the file has of a client's measures, and the tables of the page. */
  static void put(String client, Map<String, String> measures) throws IOException {
    Map<String, Map<String, String>> all = read();
    all.computeIfAbsent(client, name -> new LinkedHashMap<>()).putAll(measures);
    List<String> lines = new ArrayList<>();
    all.forEach(
        (name, row) -> row.forEach((key, value) -> lines.add(name + "," + key + "," + value)));
    Files.write(FILE, lines);
    ChaosPage.write(filledIn());
  }

  /** The page with the tables of the file. */
  static String filledIn() throws IOException {
    return ChaosPage.replaced(
        ChaosPage.replaced(ChaosPage.read(), "chaos", table(CHAOS)), "probes", table(PROBES));
  }

  private static Map<String, Map<String, String>> read() throws IOException {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    Stream.of(ChaosRival.values()).forEach(rival -> all.put(rival.title(), new LinkedHashMap<>()));
    if (Files.exists(FILE)) {
      for (String line : Files.readAllLines(FILE)) {
        String[] parts = line.split(",");
        all.computeIfAbsent(parts[0], name -> new LinkedHashMap<>()).put(parts[1], parts[2]);
      }
    }
    return all;
  }

  /** A column for each client that has these measures. */
  private static String table(String[][] measures) throws IOException {
    Map<String, Map<String, String>> all = read();
    all.values().removeIf(row -> !row.containsKey(measures[0][0]));
    StringBuilder table = new StringBuilder("| |");
    all.keySet().forEach(client -> table.append(' ').append(client).append(" |"));
    table.append("\n|---|").append("---:|".repeat(all.size())).append('\n');
    for (String[] measure : measures) {
      table.append("| ").append(measure[1]).append(" |");
      for (Map<String, String> row : all.values()) {
        table.append(' ').append(ChaosPage.grouped(row.getOrDefault(measure[0], ""))).append(" |");
      }
      table.append('\n');
    }
    return table.toString();
  }
}
