// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {

  @TempDir Path folder;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Options options = new Options();

  @BeforeEach
  void quick() {
    options.output = folder.resolve("output");
    options.redis = "";
    options.oneWayDelay = Duration.ofNanos(50_000);
    options.documents = 60;
    options.pages = List.of(5, 40);
    options.threads = 4;
    options.readsPerThread = 5;
    options.pings = 50;
    options.lateAfter = Duration.ofHours(1);
    options.sets = 60;
    // What was read ahead does not grow too old on a busy machine.
    options.maxAge = Duration.ofMinutes(1);
    options.warmUp = Duration.ZERO;
    options.measured = Duration.ZERO;
  }

  @Test
  void embeddedCluster_measuresAllWaysAndWritesBothReports() throws Exception {
    int exit = run();

    assertThat(exit).as(printed()).isZero();
    JsonNode report = json();
    for (JsonNode way : report) {
      assertThat(way.fieldNames())
          .toIterable()
          .containsExactly(
              "experiment", "way", "millis", "roundTrips", "commands", "bytes", "factor");
    }
    assertThat(ways(report, "page-40"))
        .containsExactly(
            "naive",
            "lettuce-mget",
            "lettuce-async",
            "sheaf",
            "sheaf-batch",
            "sheaf-loop",
            "sheaf-plain",
            "sheaf-learned");
    JsonNode naive = way(report, "page-40", "naive");
    // What is counted is everybody's: on a slow machine a look at the topology may come in between.
    assertThat(naive.get("roundTrips").longValue()).isGreaterThanOrEqualTo(40);
    assertThat(naive.get("commands").longValue()).isGreaterThanOrEqualTo(40);
    assertThat(naive.get("factor").doubleValue()).isEqualTo(1);
    assertThat(naive.get("bytes").longValue()).isGreaterThan(40 * 512);
    assertThat(roundTrips(report, "page-40", "sheaf")).isBetween(1L, (long) Demo.MASTERS);
    assertThat(roundTrips(report, "page-40", "sheaf-loop")).isBetween(2L, 2L * Demo.MASTERS);
    assertThat(roundTrips(report, "page-40", "sheaf-plain")).isGreaterThanOrEqualTo(40);
    assertThat(roundTrips(report, "page-40", "sheaf-learned")).isBetween(1L, 3L * Demo.MASTERS);
    assertThat(ways(report, "dependent-40")).containsExactly("naive", "lettuce-async", "sheaf");
    assertThat(roundTrips(report, "dependent-40", "naive")).isGreaterThanOrEqualTo(80);
    assertThat(roundTrips(report, "dependent-40", "sheaf")).isLessThan(80);
    assertThat(ways(report, "threads-4")).containsExactly("naive", "sheaf");
    assertThat(ways(report, "pings-50")).containsExactly("naive", "lettuce-async", "sheaf");
    assertThat(roundTrips(report, "pings-50", "naive")).isGreaterThanOrEqualTo(50);
    assertThat(way(report, "ping-storm", "naive").get("factor").doubleValue()).isZero();
    assertThat(way(report, "ping-storm", "sheaf").get("factor").doubleValue()).isZero();
    assertThat(ways(report, "zcard-60")).containsExactly("naive", "lettuce-async", "sheaf");
    assertThat(roundTrips(report, "zcard-60", "naive")).isGreaterThanOrEqualTo(60);
    assertThat(ways(report, "bandwidth")).containsExactly("naive", "gzip", "sheaf");
    JsonNode compressed = way(report, "bandwidth", "sheaf");
    assertThat(compressed.get("factor").doubleValue())
        .isEqualTo(
            way(report, "bandwidth", "naive").get("bytes").doubleValue()
                / compressed.get("bytes").doubleValue())
        .isGreaterThan(2);
    assertThat(printed())
        .containsPattern("GET called [0-9,]+ times at .*Experiments\\.read\\(.*would save")
        .containsSubsequence("page-40: ", "naive", "lettuce-mget", "sheaf", "bandwidth: ");
    assertThat(Files.readString(options.output.resolve("report.html")))
        .contains("page-40", "of the server's memory", "</html>")
        .doesNotContain("{{data}}", "src=", "href=", "url(", "@import", "http:", "https:");
  }

  @Test
  void givenServer_isLeftAsItWas_andAnswersAfterTheLimitAreLate() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("sheaf-demo:mine", "untouched");
      options.redis = server.uri();
      options.lateAfter = Duration.ZERO;

      int exit = run();

      assertThat(exit).as(printed()).isZero();
      assertThat(sheaf.sync().keys("*")).containsExactly("sheaf-demo:mine");
      assertThat(way(json(), "page-40", "naive").get("roundTrips").isNull()).isTrue();
      assertThat(way(json(), "ping-storm", "sheaf").get("factor").doubleValue()).isEqualTo(1);
      assertThat(Files.readString(options.output.resolve("report.html"))).contains(server.uri());
    }
  }

  @Test
  void wrongResult_failsWithItsExitCodeAndCleansUp() {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      options.redis = server.uri();

      int exit =
          Demo.run(
              options,
              experiments -> {
                sheaf.sync().keys("*").forEach(key -> sheaf.sync().set(key, "tampered"));
                return List.of(() -> experiments.page(3));
              },
              out());

      assertThat(printed()).contains("Wrong result: page-3, way naive: [tampered, ");
      assertThat(exit).isEqualTo(Demo.EXIT_WRONG_RESULT);
      assertThat(sheaf.sync().keys("*")).isEmpty();
      assertThat(options.output.resolve("report.json")).doesNotExist();
    }
  }

  @Test
  void nobodyListens_isExplainedInOneLine_andNoFormerReportIsLeft() throws IOException {
    Files.createDirectories(options.output);
    Files.writeString(options.output.resolve("report.json"), "[]");
    try (ServerSocket closedAtOnce = new ServerSocket(0)) {
      options.redis = "redis://user:secret@127.0.0.1:" + closedAtOnce.getLocalPort();
    }

    int exit = run();

    assertThat(exit).isEqualTo(Demo.EXIT_PROBLEM);
    assertThat(printed())
        .contains("the connection was refused; is a server listening on that port?")
        .doesNotContain("secret", "\tat ");
    assertThat(options.output.resolve("report.json")).doesNotExist();
  }

  @Test
  void noServerUri_isExplained() {
    options.redis = "localhost:6379";

    assertThat(run()).isEqualTo(Demo.EXIT_PROBLEM);
    assertThat(printed()).contains("Not a server URI: it has no scheme").doesNotContain("\tat ");
  }

  @Test
  void command_hidesPasswords() {
    assertThat(options.command()).isEqualTo("./mvnw -q -Pdemo");
    options.redis = "redis://me:p@ss@host:1";
    assertThat(options.command()).isEqualTo("./mvnw -q -Pdemo -Dredis=redis://***@host:1");
  }

  @Test
  void orders_areTheSameInEveryRun_andAsLargeAsRealDocuments() throws IOException {
    var orders = Orders.generate("", 2_000);

    assertThat(orders).hasSize(2_000).isEqualTo(Orders.generate("", 2_000));
    for (String order : orders.values()) {
      assertThat(new ObjectMapper().readTree(order).get("lines").isArray()).isTrue();
    }
    IntSummaryStatistics sizes =
        orders.values().stream().mapToInt(String::length).summaryStatistics();
    assertThat(sizes.getMin()).isBetween(512, 700);
    assertThat(sizes.getMax()).isBetween(20_000, 110_000);
    assertThat(sizes.getAverage()).isBetween(2_500.0, 4_000.0);
  }

  @Test
  void page_keepsHostileTextInItsData() throws IOException {
    String hostile = "</script><script>alert('1')</script>";
    Report report = new Report(Map.of(), List.of(hostile), Map.of("Server", hostile));

    assertThat(report.html()).doesNotContain(hostile).contains("\\u003c/script>");
  }

  @Test
  void figures_haveThreeSignificantDigits() {
    assertThat(Report.millis(0.1234)).isEqualTo("0.12 ms");
    assertThat(Report.millis(9.996)).isEqualTo("10.0 ms");
    assertThat(Report.millis(12_345.6)).isEqualTo("12,346 ms");
    assertThat(Report.bytes(1_023L)).isEqualTo("1.00 KiB");
    assertThat(Report.bytes(null)).isEqualTo("-");
    assertThat(Report.count(10_000)).isEqualTo("10,000");
  }

  private int run() {
    return Demo.run(options, Experiments::all, out());
  }

  private PrintStream out() {
    return new PrintStream(printed, true, StandardCharsets.UTF_8);
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(options.output.resolve("report.json").toFile());
  }

  private static List<String> ways(JsonNode report, String experiment) {
    return report.findParents("way").stream()
        .filter(way -> way.get("experiment").textValue().equals(experiment))
        .map(way -> way.get("way").textValue())
        .toList();
  }

  private static long roundTrips(JsonNode report, String experiment, String name) {
    return way(report, experiment, name).get("roundTrips").longValue();
  }

  private static JsonNode way(JsonNode report, String experiment, String name) {
    for (JsonNode way : report) {
      if (way.get("experiment").textValue().equals(experiment)
          && way.get("way").textValue().equals(name)) {
        return way;
      }
    }
    throw new AssertionError("no way " + name + " of " + experiment + " in " + report);
  }
}
