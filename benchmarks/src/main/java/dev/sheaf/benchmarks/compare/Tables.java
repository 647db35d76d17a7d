package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.compare.ResultFile.Found;
import dev.sheaf.benchmarks.compare.ResultFile.Series;
import dev.sheaf.benchmarks.rivals.Client;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the pages show of rows: medians of the rounds. */
final class Tables {

  private static final String NONE = "-";
  private static final String NOT_MEASURED = "Not measured.\n";
  private static final List<String> README_ROWS =
      List.of("get-8", "get-64", "getall-100", "loop-100-1ms", "cluster-64", "cluster-getall-100");
  private static final List<Client> README_CLIENTS =
      List.of(Client.SHEAF, Client.LETTUCE, Client.JEDIS, Client.REDISSON);
  private static final List<String> COST_ROWS = List.of("get-1", "get-4", "get-64");
  private static final List<String> COSTS =
      List.of(
          Costs.CLIENT_CPU, Costs.WAKE_UPS, Costs.SERVER_CPU, Costs.COMMANDS, Costs.SERVER_READS);
  private static final List<String> PERCENTILES =
      List.of("due/s", "p50-us", "p90-us", "p99-us", "p99.9-us");

  private final List<Found> rows;

  /** Of rows with figures. */
  Tables(List<Found> rows) {
    this.rows = rows.stream().filter(row -> !row.clients().isEmpty()).toList();
  }

  /** In how many rows Sheaf was faster, slower, or neither, than the fastest other JVM client. */
  String summary() {
    List<String> faster = new ArrayList<>();
    List<String> same = new ArrayList<>();
    List<String> slower = new ArrayList<>();
    for (Found row : rows) {
      Optional<Spread> ratio = best(row).flatMap(best -> row.ratio(own(row), best));
      if (ratio.isPresent()) {
        (ratio.get().smallest() > 1 ? faster : ratio.get().largest() < 1 ? slower : same)
            .add(row.title());
      }
    }
    return summary("Faster in every round", faster)
        + summary("Sometimes faster, sometimes slower", same)
        + summary("Slower in every round", slower);
  }

  private static String summary(String what, List<String> titles) {
    return titles.isEmpty()
        ? ""
        : "- **%s** (%d): %s.\n".formatted(what, titles.size(), String.join("; ", titles));
  }

  /** The rows that a reader asks for first; of this project, the client as it is by default. */
  String readme() {
    List<List<String>> table = new ArrayList<>();
    List<String> headings = new ArrayList<>(List.of(""));
    README_CLIENTS.forEach(client -> headings.add(client.title()));
    table.add(headings);
    for (String name : README_ROWS) {
      rows.stream()
          .filter(row -> row.name().equals(name) && row.clients().containsKey(Client.SHEAF))
          .findFirst()
          .ifPresent(row -> table.add(readmeRow(row)));
    }
    return table.size() == 1 ? NOT_MEASURED : Markdown.table(table);
  }

  private static List<String> readmeRow(Found row) {
    List<String> cells = new ArrayList<>(List.of(row.title()));
    for (Client client : README_CLIENTS) {
      cells.add(
          series(row, client)
              .map(series -> series.spread().median())
              .map(score -> row.higherIsBetter() ? Numbers.rate(score) : Numbers.micros(score))
              .orElse(NONE));
    }
    return cells;
  }

  /** Operations a second. */
  String rates() {
    return scores(
        rows.stream().filter(Found::higherIsBetter).toList(),
        (row, series) -> Numbers.rate(series.spread().median()));
  }

  /** Times of pages and loops. */
  String times() {
    return scores(
        rows.stream().filter(row -> row.unit().equals(Work.GET_ALL.unit())).toList(),
        (row, series) -> Numbers.micros(series.spread().median()));
  }

  /** Percentiles of open loads. */
  String open() {
    List<Found> open = rows.stream().filter(row -> row.unit().equals(Work.OPEN.unit())).toList();
    return open.isEmpty()
        ? NOT_MEASURED
        : figures(open, List.of("Load", "Client", "reads due", "p50", "p90", "p99", "p99.9"))
            + "\n![99th percentile of a GET under open load](open.svg)\n";
  }

  /** What a GET costs, by number of threads. */
  String costs() {
    List<Found> few = rows.stream().filter(row -> COST_ROWS.contains(row.name())).toList();
    return few.isEmpty()
        ? NOT_MEASURED
        : figures(
            few,
            List.of("Work", "Client", "client CPU", "wake-ups", "server CPU", "commands", "reads"));
  }

  private static String figures(List<Found> rows, List<String> headings) {
    List<List<String>> table = new ArrayList<>(List.of(headings));
    List<String> names = headings.contains("p99") ? PERCENTILES : COSTS;
    for (Found row : rows) {
      row.clients()
          .forEach(
              (client, series) -> {
                List<String> cells = new ArrayList<>(List.of(row.title(), client.title()));
                for (String name : names) {
                  cells.add(series.figure(name).map(value -> figure(name, value)).orElse(NONE));
                }
                table.add(cells);
              });
    }
    return Markdown.table(table);
  }

  private static String figure(String name, double value) {
    if (name.endsWith("/s")) {
      return Numbers.rate(value);
    }
    return name.endsWith("us") ? Numbers.micros(value) : Numbers.rounded(value);
  }

  /** Ways to read a page with a loop, nearby and 1 ms away. */
  String loops() {
    List<List<String>> table = new ArrayList<>();
    table.add(List.of("", "loopback", "1 ms round trip"));
    table.add(loop("plain loop", false, "loop-100", "loop-100-1ms"));
    table.add(loop("`loop(keys)`", true, "loop-100", "loop-100-1ms"));
    table.add(loop("`getAll(keys)`", true, "getall-100", "getall-100-1ms"));
    String two = "two dependent GETs in the body";
    table.add(loop("plain loop, " + two, false, "", "loop-of-two-100-1ms"));
    table.add(loop("`mapEach`, " + two, true, "", "loop-of-two-100-1ms"));
    return Markdown.table(table);
  }

  private List<String> loop(String title, boolean own, String near, String far) {
    return Stream.concat(
            Stream.of(title),
            Stream.of(near, far)
                .map(
                    name ->
                        rows.stream()
                            .filter(row -> row.name().equals(name))
                            .findFirst()
                            .flatMap(row -> series(row, own ? own(row) : Client.LETTUCE))
                            .map(series -> Numbers.micros(series.spread().median()))
                            .orElse(name.isEmpty() ? "" : "not measured")))
        .toList();
  }

  /** Everything, row by row. */
  String details() {
    StringBuilder text = new StringBuilder();
    for (Found row : rows) {
      Set<String> names = new TreeSet<>();
      row.clients().values().forEach(series -> names.addAll(series.figures().keySet()));
      List<List<String>> table = new ArrayList<>();
      List<String> headings =
          new ArrayList<>(List.of("Client", row.unit(), "from, to", "over Lettuce", "from, to"));
      headings.addAll(names);
      table.add(headings);
      for (Map.Entry<Client, Series> each : row.clients().entrySet()) {
        Spread scores = each.getValue().spread();
        Optional<Spread> ratio = row.ratio(each.getKey(), Client.LETTUCE);
        List<String> cells =
            new ArrayList<>(
                List.of(
                    each.getKey().title(),
                    Numbers.rounded(scores.median()),
                    range(scores),
                    ratio.map(r -> Numbers.rounded(r.median())).orElse(NONE),
                    ratio.map(Tables::range).orElse(NONE)));
        for (String name : names) {
          cells.add(each.getValue().figure(name).map(Numbers::rounded).orElse(NONE));
        }
        table.add(cells);
      }
      text.append("\n## ").append(row.title()).append(" (").append(row.name()).append(")\n\n");
      text.append(Markdown.table(table));
    }
    return text.toString();
  }

  private static String scores(List<Found> rows, BiFunction<Found, Series, String> cell) {
    if (rows.isEmpty()) {
      return NOT_MEASURED;
    }
    List<Client> clients =
        Arrays.stream(Client.values())
            .filter(client -> rows.stream().anyMatch(row -> row.clients().containsKey(client)))
            .toList();
    List<List<String>> table = new ArrayList<>();
    List<String> headings = new ArrayList<>(List.of("Work"));
    clients.forEach(client -> headings.add(client.title()));
    headings.add("Sheaf / fastest other on the JVM");
    table.add(headings);
    for (Found row : rows) {
      List<String> cells = new ArrayList<>(List.of(row.title()));
      for (Client client : clients) {
        cells.add(series(row, client).map(series -> cell.apply(row, series)).orElse(NONE));
      }
      cells.add(verdict(row));
      table.add(cells);
    }
    return Markdown.table(table);
  }

  private static String verdict(Found row) {
    return best(row)
        .flatMap(
            best ->
                row.ratio(own(row), best)
                    .map(
                        ratio ->
                            Numbers.rounded(ratio.median())
                                + "× "
                                + best.title()
                                + " ("
                                + range(ratio)
                                + ")"))
        .orElse(NONE);
  }

  private static Optional<Client> best(Found row) {
    return row.best(Arrays.stream(Client.values()).filter(c -> c.isJava() && !c.isOwn()).toList());
  }

  /** The project's client as it is by default, or else with its option. */
  private static Client own(Found row) {
    return row.clients().containsKey(Client.SHEAF) ? Client.SHEAF : Client.SHEAF_YIELDING;
  }

  private static Optional<Series> series(Found row, Client client) {
    return Optional.ofNullable(row.clients().get(client));
  }

  private static String range(Spread spread) {
    return Stream.of(spread.smallest(), spread.largest())
        .map(Numbers::rounded)
        .collect(Collectors.joining(" to "));
  }
}
