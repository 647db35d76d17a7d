package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.ComparisonException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pages with results, made of the files in {@code benchmarks/data}: {@code
 * benchmarks/figures.md} as a whole, and of other pages what stands between {@code <!-- generated:
 * name -->} and {@code <!-- end of name -->}. The README is one of them. Nobody writes figures
 * there by hand. A row that several files have is taken from the newest one.
 */
public final class Publication {

  /** What pages take from the files, by the name of its place. */
  static final Map<String, List<String>> PLACES =
      Map.of(
          "../README.md",
          List.of("readme"),
          "../README.ko.md",
          List.of("readme"),
          "benchmarks/results.md",
          List.of("sources", "summary", "rates", "times", "open", "costs"),
          "guide/loops.md",
          List.of("loops"));

  static final String FIGURES = "benchmarks/figures.md";

  /** Said of the whole run, and not of the machine or of versions. */
  private static final Set<String> OTHER_FACTS = Set.of("Commit", "Date", "Command");

  private final Path docs;

  /** To the folder of all documentation. */
  public Publication(Path docs) {
    this.docs = docs;
  }

  /**
   * Takes over files and writes the pages.
   *
   * @throws ComparisonException if a file cannot be read or written, or has no place for figures
   */
  public void publish(List<Path> found, PrintStream console) {
    try {
      for (Path file : found) {
        if (ResultFile.read(file).environment().containsKey("Trial")) {
          throw new ComparisonException(file + " is of a trial, which has no figures");
        }
        Files.createDirectories(data());
        Files.copy(file, data().resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
      Files.writeString(docs.resolve(FIGURES), figures());
      console.println("Written: " + docs.resolve(FIGURES));
      for (String page : PLACES.keySet()) {
        Files.writeString(docs.resolve(page), filledIn(page));
        console.println("Written: " + docs.resolve(page));
      }
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the pages: " + e.getMessage(), e);
    }
  }

  private Path data() {
    return docs.resolve("benchmarks").resolve("data");
  }

  /** The files by their names, the oldest first. */
  private Map<String, ResultFile> files() {
    try (Stream<Path> paths = Files.list(data())) {
      Map<String, ResultFile> files = new TreeMap<>();
      paths
          .filter(path -> path.toString().endsWith(".json"))
          .forEach(path -> files.put(String.valueOf(path.getFileName()), ResultFile.read(path)));
      Map<String, ResultFile> sorted = new LinkedHashMap<>();
      files.entrySet().stream()
          .sorted(Comparator.comparing(file -> fact(file.getValue(), "Date")))
          .forEach(file -> sorted.put(file.getKey(), file.getValue()));
      return sorted;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is published: each row of the newest file that has it. */
  List<ResultFile.Found> rows() {
    return newest(files());
  }

  /** In the order of the rows. */
  private static List<ResultFile.Found> newest(Map<String, ResultFile> files) {
    Map<String, ResultFile.Found> rows = new LinkedHashMap<>();
    Row.all(1).forEach(row -> rows.put(row.name(), ResultFile.Found.of(row)));
    for (ResultFile file : files.values()) {
      file.rows().stream()
          .filter(row -> !row.clients().isEmpty())
          .forEach(row -> rows.put(row.name(), row));
    }
    return List.copyOf(rows.values());
  }

  /** The page with everything, with the figures of today. */
  String figures() {
    Map<String, ResultFile> files = files();
    return "# All figures\n\n"
        + "Made of the files below; [results.md](results.md) has what matters, and\n"
        + "[METHOD.md](METHOD.md) says how it is measured. Medians of the rounds; costs are those of\n"
        + "one operation.\n\n"
        + sources(files)
        + new Tables(newest(files)).details();
  }

  /**
   * A page with the figures of today in it.
   *
   * @throws ComparisonException if it has no place for them
   */
  String filledIn(String page) {
    Map<String, ResultFile> files = files();
    Tables tables = new Tables(newest(files));
    try {
      String text = Files.readString(docs.resolve(page));
      for (String place : PLACES.getOrDefault(page, List.of())) {
        String figures =
            switch (place) {
              case "sources" -> sources(files);
              case "summary" -> tables.summary();
              case "rates" -> tables.rates();
              case "times" -> tables.times();
              case "open" -> tables.open();
              case "costs" -> tables.costs();
              case "readme" -> tables.readme();
              default -> tables.loops();
            };
        text = replaced(page, text, place, figures);
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String replaced(String page, String old, String name, String text) {
    String begin = "<!-- generated: " + name + " -->";
    String end = "<!-- end of " + name + " -->";
    Matcher block =
        Pattern.compile(Pattern.quote(begin) + ".*?" + Pattern.quote(end), Pattern.DOTALL)
            .matcher(old);
    if (!block.find()) {
      throw new ComparisonException(page + " has no place between " + begin + " and " + end);
    }
    return block.replaceFirst(Matcher.quoteReplacement(begin + "\n\n" + text + "\n" + end));
  }

  private static String sources(Map<String, ResultFile> files) {
    StringBuilder text = new StringBuilder();
    files.forEach(
        (name, file) -> {
          text.append("- [").append(name).append("](data/").append(name).append("): commit ");
          text.append(fact(file, "Commit")).append(", ").append(fact(file, "Date"));
          text.append(", `").append(fact(file, "Command")).append("`. ");
          text.append(
              file.environment().entrySet().stream()
                  .filter(each -> !OTHER_FACTS.contains(each.getKey()))
                  .map(each -> each.getKey() + ": " + each.getValue())
                  .collect(Collectors.joining("; ")));
          text.append('.');
          if (Environment.isBusy(file.environment())) {
            text.append(" **The machine was busy when this began.**");
          }
          text.append('\n');
        });
    return text.toString();
  }

  private static String fact(ResultFile file, String name) {
    return file.environment().getOrDefault(name, "unknown");
  }
}
