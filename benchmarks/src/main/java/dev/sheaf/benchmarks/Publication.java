package dev.sheaf.benchmarks;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pages with results, made of the result files in {@code benchmarks/data}: {@code
 * benchmarks/figures.md} as a whole, and of other pages what stands between {@code <!-- generated:
 * name -->} and {@code <!-- end of name -->}. Nobody writes figures there by hand.
 */
final class Publication {

  /** What a comparison leaves beside the jar and is published. */
  private static final List<Scope> PUBLISHED = List.of(Scope.TARGETS, Scope.DETAILS);

  private static final List<String> PAGES_OF_THEIR_OWN =
      List.of(
          "syscalls.md",
          "where-the-time-goes.json",
          "where-the-time-goes.md",
          "where-the-time-goes.svg");

  private static final String FIGURES = "figures";
  private static final String COSTS_OF = "blocking-standalone-64";

  /** The facts that stand above the results; the pages with all tables have the rest. */
  private static final List<String> FACTS =
      List.of(
          "Processor",
          "System",
          "JVM",
          "JVM of virtual threads",
          "Server",
          "Lettuce",
          "Jedis",
          "Redisson",
          "Valkey GLIDE",
          "Spring Data Redis");

  /** What pages take from the files, by the name of its place. */
  static final Map<String, List<String>> PLACES =
      Map.of(
          "benchmarks/results.md", List.of("targets", "costs"), "guide/loops.md", List.of("loops"));

  private final Path docs;

  /** To the folder of all documentation. */
  Publication(Path docs) {
    this.docs = docs;
  }

  /**
   * Takes over what comparisons have left, if anything, and writes the pages.
   *
   * @throws ComparisonException if a file cannot be read or written, or has no place for figures
   */
  void publish(Path found, PrintStream console) {
    try {
      for (Scope scope : PUBLISHED) {
        take(found.resolve(scope.fileName() + ".json"), data(), console);
      }
      for (String page : PAGES_OF_THEIR_OWN) {
        take(found.resolve(page), benchmarks(), console);
      }
      removePlots();
      new Report(List.copyOf(files().values())).write(benchmarks(), FIGURES);
      console.println("Written: " + benchmarks().resolve(FIGURES + ".md"));
      for (String page : PLACES.keySet()) {
        Path file = docs.resolve(page);
        Files.writeString(file, filledIn(page));
        console.println("Written: " + file);
      }
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the pages: " + e.getMessage(), e);
    }
  }

  private Path benchmarks() {
    return docs.resolve("benchmarks");
  }

  private Path data() {
    return benchmarks().resolve("data");
  }

  private static void take(Path file, Path folder, PrintStream console) throws IOException {
    if (Files.exists(file)) {
      Files.createDirectories(folder);
      Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      console.println("Taken over: " + file);
    }
  }

  private void removePlots() throws IOException {
    try (Stream<Path> files = Files.list(benchmarks())) {
      for (Path plot : files.filter(Publication::isPlot).toList()) {
        Files.delete(plot);
      }
    }
  }

  private static boolean isPlot(Path file) {
    return String.valueOf(file.getFileName()).matches(FIGURES + "-.*\\.svg");
  }

  /** The result files by their names, the oldest first. */
  Map<String, ResultFile> files() {
    Map<String, ResultFile> files = new LinkedHashMap<>();
    try (Stream<Path> paths = Files.list(data())) {
      paths
          .filter(path -> path.toString().endsWith(".json"))
          .map(path -> Map.entry(String.valueOf(path.getFileName()), ResultFile.read(path)))
          .sorted(
              Comparator.comparing(
                      (Map.Entry<String, ResultFile> file) -> fact(file.getValue(), "Date"))
                  .thenComparing(Map.Entry::getKey))
          .forEach(file -> files.put(file.getKey(), file.getValue()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /**
   * A page with the figures of today in it.
   *
   * @throws ComparisonException if it has no place for them
   */
  String filledIn(String page) {
    Map<String, ResultFile> files = files();
    List<ResultFile.Asked> questions =
        files.values().stream().flatMap(file -> file.questions().stream()).toList();
    try {
      String text = Files.readString(docs.resolve(page));
      for (String place : PLACES.getOrDefault(page, List.of())) {
        String figures =
            switch (place) {
              case "targets" -> sources(files) + "\n" + new TargetTable(questions).markdown();
              case "costs" -> costs(questions);
              default -> new LoopTable(questions).markdown();
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
          Map<String, String> facts = file.environment();
          text.append("- [").append(name).append("](data/").append(name).append("): commit ");
          text.append(fact(file, "Commit")).append(", ").append(fact(file, "Date"));
          text.append(", `").append(fact(file, "Command")).append("`. ");
          text.append(
              FACTS.stream()
                  .filter(facts::containsKey)
                  .map(fact -> fact + ": " + brief(facts.getOrDefault(fact, "")))
                  .collect(Collectors.joining("; ")));
          text.append('.');
          if (Environment.isBusy(facts)) {
            text.append(" **The machine was busy when this began.**");
          }
          facts.forEach(
              (fact, value) -> {
                if (fact.startsWith("Left out")) {
                  text.append(' ').append(fact).append(": ").append(value).append('.');
                }
              });
          text.append('\n');
        });
    return text.toString();
  }

  /** Without what servers say of how they were built. */
  private static String brief(String fact) {
    return fact.replaceFirst(" sha=.*", "");
  }

  private static String costs(List<ResultFile.Asked> questions) {
    return questions.stream()
        .filter(question -> question.name().equals(COSTS_OF))
        .reduce((earlier, later) -> later)
        .map(question -> new Table(question.answers()).markdown())
        .orElse("Not measured.\n");
  }

  private static String fact(ResultFile file, String name) {
    return file.environment().getOrDefault(name, "unknown");
  }
}
