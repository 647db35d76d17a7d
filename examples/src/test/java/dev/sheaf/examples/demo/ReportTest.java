package dev.sheaf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final String HOSTILE = "</title><script>alert('1')</script>\"&\n";

  private static final Measurement NAIVE =
      new Measurement(
          "page-100", "naive", "get", 112.3456, new Counts(100L, 100L, 726_431L), 1, 15);
  private static final Measurement OURS =
      new Measurement("page-100", "sheaf", "getAll", 2.5, new Counts(3L, 99L, 726_000L), 44.9, 25);
  private static final Measurement UNKNOWN =
      new Measurement("pings-10000", "naive", "ping", 12_345.6, Counts.UNKNOWN, 1, 1);

  @Test
  void json_hasOneObjectForEachWayWithTheAgreedFields() throws Exception {
    JsonNode report = new ObjectMapper().readTree(JsonReport.of(List.of(NAIVE, OURS, UNKNOWN)));

    assertThat(report.isArray()).isTrue();
    assertThat(report).hasSize(3);
    for (JsonNode way : report) {
      assertThat(way.fieldNames())
          .toIterable()
          .containsExactly(
              "experiment", "way", "millis", "roundTrips", "commands", "bytes", "factor");
      assertThat(way.get("experiment").isTextual()).isTrue();
      assertThat(way.get("way").isTextual()).isTrue();
      assertThat(way.get("millis").isNumber()).isTrue();
      assertThat(way.get("factor").isNumber()).isTrue();
    }
    assertThat(report.get(1).get("roundTrips").longValue()).isEqualTo(3);
    assertThat(report.get(1).get("commands").longValue()).isEqualTo(99);
    assertThat(report.get(1).get("bytes").longValue()).isEqualTo(726_000);
    assertThat(report.get(0).get("millis").doubleValue()).isEqualTo(112.3456);
  }

  @Test
  void json_unknownCounts_areNull() throws Exception {
    JsonNode way = new ObjectMapper().readTree(JsonReport.of(List.of(UNKNOWN))).get(0);

    assertThat(way.get("roundTrips").isNull()).isTrue();
    assertThat(way.get("commands").isNull()).isTrue();
    assertThat(way.get("bytes").isNull()).isTrue();
  }

  @Test
  void json_hostileNames_staySingleStrings() throws Exception {
    Measurement hostile = new Measurement(HOSTILE, HOSTILE, HOSTILE, 1, Counts.UNKNOWN, 1, 1);

    JsonNode way = new ObjectMapper().readTree(JsonReport.of(List.of(hostile))).get(0);

    assertThat(way.get("experiment").textValue()).isEqualTo(HOSTILE);
  }

  @Test
  void table_isAlignedAndNamesEachExperimentOnce() {
    assertThat(ConsoleTable.of(List.of(NAIVE, OURS, UNKNOWN)))
        .isEqualTo(
            """
            experiment   way         time  round trips  commands    bytes  factor
            -----------  -----  ---------  -----------  --------  -------  ------
            page-100     naive     112 ms          100       100  709 KiB   1.00x
                         sheaf    2.50 ms            3        99  709 KiB   44.9x
            -----------  -----  ---------  -----------  --------  -------  ------
            pings-10000  naive  12,346 ms            -         -        -   1.00x
            """);
  }

  @Test
  void table_showsTheShareOfLateAnswers_whereThatCounts() {
    Measurement late =
        new Measurement(
            "ping-storm",
            "naive",
            "ping",
            2_000,
            Counts.UNKNOWN,
            0.875,
            Measurement.Meaning.LATE_SHARE,
            1);

    assertThat(ConsoleTable.of(List.of(late))).contains("87.5 % late");
    assertThat(JsonReport.of(List.of(late))).contains("\"factor\" : 0.875");
  }

  @Test
  void figures_haveThreeSignificantDigits_inAnyLocale() {
    Locale former = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      assertThat(Figures.millis(0.1234)).isEqualTo("0.12 ms");
      assertThat(Figures.millis(9.994)).isEqualTo("9.99 ms");
      assertThat(Figures.millis(9.996)).isEqualTo("10.0 ms");
      assertThat(Figures.millis(99.96)).isEqualTo("100 ms");
      assertThat(Figures.millis(12_345.6)).isEqualTo("12,346 ms");
      assertThat(Figures.bytes(1_023L)).isEqualTo("1023 B");
      assertThat(Figures.bytes(1_024L)).isEqualTo("1.00 KiB");
      assertThat(Figures.bytes(5L * 1_024 * 1_024 * 1_024)).isEqualTo("5.00 GiB");
      assertThat(Figures.count(10_000)).isEqualTo("10,000");
      assertThat(Figures.bytes(null)).isEqualTo("-");
    } finally {
      Locale.setDefault(former);
    }
  }

  @Test
  void html_hostileNames_stayText() {
    Measurement hostile =
        new Measurement(HOSTILE, HOSTILE, HOSTILE, 1, new Counts(1L, 1L, 1L), 1, 1);
    Documents documents = documents(HOSTILE);
    Report report =
        new Report(
            Map.of(HOSTILE, HOSTILE),
            List.of(hostile),
            documents,
            List.of(HOSTILE),
            HOSTILE,
            Map.of("Data", HOSTILE, HOSTILE, "value"));

    String html = HtmlReport.of(report);

    assertThat(html).doesNotContain("<script").doesNotContain("alert('1')");
    assertThat(html)
        .contains("&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp; ");
  }

  @Test
  void html_isOneFileThatFetchesNothing() {
    String html = html();

    assertThat(html)
        .startsWith("<!DOCTYPE html>")
        .contains("<style>", "prefers-color-scheme: dark", "name=\"viewport\"")
        .doesNotContain("src=", "href=", "url(", "@import", "http:", "https:");
  }

  @Test
  void html_chartsBeginAtZeroAndSayInWordsWhatTheyShow() {
    String html = html();

    assertThat(html)
        .contains("aria-label=\"Time, less is better: naive 112 ms, 1.00x; sheaf 2.50 ms");
    assertThat(html).contains("<rect class=\"naive\" x=\"0\" y=\"20\" width=\"100.000%\"");
    assertThat(html).contains("<rect class=\"sheaf\" x=\"0\" y=\"62\" width=\"2.225%\"");
    assertThat(html).contains("<rect class=\"sheaf\" x=\"0\" y=\"62\" width=\"3.000%\"");
    assertThat(html.split("<svg ", -1)).hasSameSizeAs(html.split("</svg>", -1));
    assertThat(html.split("<title>", -1)).hasSameSizeAs(html.split("</title>", -1));
  }

  @Test
  void html_unknownRoundTrips_haveNoChartAndADashInTheTable() {
    Report report =
        new Report(
            Map.of(), List.of(UNKNOWN), documents("source"), List.of(), "explained", Map.of());

    assertThat(HtmlReport.of(report)).doesNotContain("Round trips, summed").contains("<td>-</td>");
  }

  private static String html() {
    return HtmlReport.of(
        new Report(
            Map.of("page-100", "A page"),
            List.of(NAIVE, OURS),
            documents("source"),
            List.of(),
            "explained",
            Map.of("JDK", "17")));
  }

  private static Documents documents(String source) {
    return Documents.of(
        source,
        List.of(new StoredDocument("key", "{}", 700)),
        0,
        new Documents.Skipped(0, 0, 0, 0, 0));
  }
}
