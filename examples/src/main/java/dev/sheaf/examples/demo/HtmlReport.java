package dev.sheaf.examples.demo;

import dev.sheaf.examples.demo.Measurement.Meaning;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** The report for people: one file that needs no other, to be opened from the disk. */
final class HtmlReport {

  /** The way whose result stands for Sheaf in the headlines. */
  private static final String OURS = "sheaf";

  private final Report report;
  private final StringBuilder html = new StringBuilder();

  private HtmlReport(Report report) {
    this.report = report;
  }

  static String of(Report report) {
    return new HtmlReport(report).write();
  }

  private String write() {
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<title>Sheaf demo: the naive way and batches</title>\n<style>\n")
        .append(css())
        .append("</style>\n</head>\n<body>\n<header>\n<h1>The same work, one by one and in ")
        .append("batches</h1>\n<p class=\"quiet\">Sheaf demo, ")
        .append(Html.escape(report.facts().getOrDefault("Date", "")))
        .append("</p>\n</header>\n<main>\n");
    headlines();
    report.byExperiment().forEach(this::experiment);
    table();
    loops();
    facts();
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private void headlines() {
    html.append("<section class=\"headlines\" aria-label=\"Results in short\">\n");
    report
        .byExperiment()
        .forEach(
            (name, ways) -> {
              for (Measurement way : ways) {
                if (way.way().equals(OURS)) {
                  headline(ways, way);
                }
              }
            });
    html.append("</section>\n");
  }

  private void headline(List<Measurement> ways, Measurement ours) {
    html.append("<div class=\"card\"><strong>")
        .append(ours.shownFactor())
        .append("</strong> ")
        .append(Html.escape(ours.experiment()))
        .append("<br><span class=\"quiet\">")
        .append(ours.meaning() == Meaning.FEWER_BYTES ? bytes(ways, ours) : times(ways, ours))
        .append("</span></div>\n");
  }

  private static String times(List<Measurement> ways, Measurement ours) {
    return Figures.millis(ways.get(0).millis())
        + " one by one, "
        + Figures.millis(ours.millis())
        + " with Sheaf"
        + fastestRival(ways);
  }

  private static String bytes(List<Measurement> ways, Measurement ours) {
    return Figures.bytes(ways.get(0).counts().bytes())
        + " and "
        + Figures.millis(ways.get(0).millis())
        + " as they are, "
        + Figures.bytes(ours.counts().bytes())
        + " and "
        + Figures.millis(ours.millis())
        + " with Sheaf";
  }

  /** What a fair comparison must not hide: the best that is possible without Sheaf. */
  private static String fastestRival(List<Measurement> ways) {
    return ways.stream()
        .skip(1)
        .filter(way -> !way.way().startsWith(OURS))
        .min(Comparator.comparingDouble(Measurement::millis))
        .map(way -> ", " + Figures.millis(way.millis()) + " with " + Html.escape(way.way()))
        .orElse("");
  }

  private void experiment(String name, List<Measurement> ways) {
    html.append("<section class=\"card\">\n<h2 style=\"margin-top:0\">")
        .append(Html.escape(name))
        .append("</h2>\n<p>")
        .append(Html.escape(report.descriptions().getOrDefault(name, "")))
        .append(".</p>\n<div class=\"charts\">\n");
    timeChart("Time, less is better", ways);
    if (ways.size() > 2) {
      timeChart("Time without the naive way, rescaled", ways.subList(1, ways.size()));
    }
    if (ways.stream().allMatch(way -> way.meaning() == Meaning.FEWER_BYTES)) {
      html.append(
          BarChart.horizontal(
              "Bytes on the wire",
              bars(
                  ways,
                  way -> (double) Objects.requireNonNullElse(way.counts().bytes(), 0L),
                  way -> Figures.bytes(way.counts().bytes()))));
    } else if (ways.stream().allMatch(way -> way.counts().roundTrips() != null)) {
      html.append(
          BarChart.horizontal(
              "Round trips, summed over the nodes",
              bars(
                  ways,
                  way -> (double) Objects.requireNonNullElse(way.counts().roundTrips(), 0L),
                  way -> Figures.count(way.counts().roundTrips()))));
    }
    html.append("</div>\n</section>\n");
  }

  private void timeChart(String title, List<Measurement> ways) {
    html.append(
        BarChart.horizontal(
            title,
            bars(
                ways,
                Measurement::millis,
                way -> Figures.millis(way.millis()) + ", " + way.shownFactor())));
  }

  private static List<BarChart.Bar> bars(
      List<Measurement> ways,
      Function<Measurement, Double> value,
      Function<Measurement, String> shown) {
    return ways.stream()
        .map(
            way ->
                new BarChart.Bar(way.way(), style(way.way()), value.apply(way), shown.apply(way)))
        .toList();
  }

  private static String style(String way) {
    if (way.startsWith(OURS)) {
      return "sheaf";
    }
    return way.equals("naive") ? "naive" : "other";
  }

  private void table() {
    html.append("<h2 id=\"figures\">All figures</h2>\n")
        .append("<div class=\"card\">\n<p class=\"quiet\">Time is that of the median run, the ")
        .append(
            "counts are those of the same run. Factor is the naive time divided by this, or the share of late answers over all runs, or the naive bytes divided by these.</p>\n")
        .append("<div class=\"scroll\" role=\"region\" tabindex=\"0\" ")
        .append("aria-labelledby=\"figures\">\n<table aria-labelledby=\"figures\">\n<thead><tr>");
    headers("name", List.of("Experiment", "Way"));
    headers("figure", List.of("Time", "Round trips", "Commands", "Bytes", "Factor", "Runs"));
    headers("name", List.of("What it does"));
    html.append("</tr></thead>\n<tbody>\n");
    report.measurements().forEach(this::row);
    html.append("</tbody>\n</table>\n</div>\n<p class=\"quiet\">")
        .append(Html.escape(report.countsExplained()))
        .append("</p></div>\n");
  }

  private void headers(String style, List<String> names) {
    for (String name : names) {
      html.append("<th scope=\"col\" class=\"").append(style).append("\">");
      html.append(name).append("</th>");
    }
  }

  private void row(Measurement measurement) {
    Counts counts = measurement.counts();
    html.append(measurement.way().startsWith(OURS) ? "<tr class=\"ours\">" : "<tr>")
        .append("<td class=\"name\">")
        .append(Html.escape(measurement.experiment()))
        .append("</td><th scope=\"row\">")
        .append(Html.escape(measurement.way()))
        .append("</th>");
    cell(Figures.millis(measurement.millis()));
    cell(Figures.count(counts.roundTrips()));
    cell(Figures.count(counts.commands()));
    cell(Figures.bytes(counts.bytes()));
    cell(measurement.shownFactor());
    cell(Figures.count(measurement.runs()));
    html.append("<td class=\"prose\">")
        .append(Html.escape(measurement.description()))
        .append("</td></tr>\n");
  }

  private void cell(String text) {
    html.append("<td>").append(Html.escape(text)).append("</td>");
  }

  private void loops() {
    if (report.loops().isEmpty()) {
      return;
    }
    html.append(
        "<h2>Loops that Sheaf's detector found meanwhile</h2>\n<div class=\"card\">\n<ul>\n");
    for (String loop : report.loops()) {
      html.append("<li>").append(Html.escape(loop)).append("</li>\n");
    }
    html.append("</ul>\n</div>\n");
  }

  private void facts() {
    html.append("<h2>How it was measured</h2>\n<div class=\"card\">\n<dl>\n");
    for (Map.Entry<String, String> fact : report.facts().entrySet()) {
      html.append("<dt>")
          .append(Html.escape(fact.getKey()))
          .append("</dt><dd>")
          .append(Html.escape(fact.getValue()))
          .append("</dd>\n");
    }
    html.append("</dl>\n</div>\n<div class=\"card\">")
        .append(SizeHistogram.chart(report.documents().sizes()))
        .append("</div>\n")
        .append("<p class=\"quiet\">Each way is warmed up, then the ways are measured in turn. ")
        .append("Every run's outcome is compared with the stored data. Ways marked with 1 run ")
        .append("take too long to repeat. Bars begin at zero; scales are linear.</p>\n");
  }

  private static String css() {
    try (InputStream file = HtmlReport.class.getResourceAsStream("report.css")) {
      return new String(
          Objects.requireNonNull(file, "report.css").readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("report.css cannot be read from the class path", e);
    }
  }
}
