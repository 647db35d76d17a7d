package dev.sheaf.benchmarks.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tables that compare clients under faults, made of a file with a client, a measure and a value
 * in each line.
 */
final class ChaosTables {

  private static final Path DOCS = Path.of(System.getProperty("basedir", ".")).resolve("../docs");
  private static final Path FILE = DOCS.resolve("benchmarks/data/chaos.csv");
  private static final Path PAGE = DOCS.resolve("reliability.md");

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
    {"lost by servers", "losses of a primary that was stopped"},
    {"paused", "seconds in which a thread could not count"},
    {"heap", "growth of the heap at most, MiB"}
  };
  private static final String[][] PROBES = {
    {"demotion", "live demotion"}, {"black hole", "black hole"}, {"moved", "MOVED to itself"}
  };

  private ChaosTables() {}

  /** The page as it is. */
  static String page() throws IOException {
    return Files.readString(PAGE);
  }

  /** Replaces what the file has of a client's measures, and the tables of the page. */
  static void put(String client, Map<String, String> measures) throws IOException {
    Map<String, Map<String, String>> all = read();
    all.computeIfAbsent(client, name -> new LinkedHashMap<>()).putAll(measures);
    List<String> lines = new ArrayList<>();
    all.forEach(
        (name, row) -> row.forEach((key, value) -> lines.add(name + "," + key + "," + value)));
    Files.write(FILE, lines);
    Files.writeString(PAGE, filledIn());
  }

  /** The page with the tables of the file. */
  static String filledIn() throws IOException {
    return replaced(replaced(page(), "chaos", table(CHAOS)), "probes", table(PROBES));
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
        table.append(' ').append(grouped(row.getOrDefault(measure[0], ""))).append(" |");
      }
      table.append('\n');
    }
    return table.toString();
  }

  /** Commas between thousands. */
  private static String grouped(String number) {
    return number.matches("\\d{4,}") ? String.format("%,d", Long.parseLong(number)) : number;
  }

  private static String replaced(String page, String name, String table) {
    String begin = "<!-- generated: " + name + " -->";
    String end = "<!-- end of " + name + " -->";
    Matcher block =
        Pattern.compile(Pattern.quote(begin) + ".*?" + Pattern.quote(end), Pattern.DOTALL)
            .matcher(page);
    if (!block.find()) {
      throw new IllegalStateException("The page has no place between " + begin + " and " + end);
    }
    return block.replaceFirst(Matcher.quoteReplacement(begin + "\n\n" + table + "\n" + end));
  }
}
