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
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {

  private static final Budget QUICK = new Budget(Duration.ofMillis(20), 2, Duration.ZERO, 1, 1);

  @TempDir Path folder;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @Test
  void embeddedCluster_measuresAllWaysAndWritesBothReports() throws Exception {
    int exit = run(options(""));

    assertThat(printed()).contains("round trips", "page-5", "page-40", "pings-50");
    assertThat(exit).isZero();
    JsonNode report = json();
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
    assertThat(way(report, "page-40", "sheaf-plain").get("roundTrips").longValue()).isEqualTo(40);
    assertThat(way(report, "page-40", "sheaf-learned").get("roundTrips").longValue())
        .isBetween(1L, 3L * EmbeddedTarget.MASTERS);
    assertThat(way(report, "page-40", "sheaf-loop").get("roundTrips").longValue())
        .isBetween(2L, 2L * EmbeddedTarget.MASTERS);
    assertThat(ways(report, "dependent-40")).containsExactly("naive", "lettuce-async", "sheaf");
    assertThat(way(report, "dependent-40", "naive").get("roundTrips").longValue()).isEqualTo(80);
    assertThat(way(report, "dependent-40", "sheaf").get("roundTrips").longValue()).isLessThan(80);
    assertThat(ways(report, "threads-4")).containsExactly("naive", "sheaf");
    assertThat(printed())
        .containsPattern("GET called [0-9]+ times, .* at .*PageExperiment\\.plain\\(.*would save");
    assertThat(ways(report, "pings-50")).containsExactly("naive", "lettuce-async", "sheaf");
    assertThat(ways(report, "ping-storm")).containsExactly("naive", "sheaf");
    assertThat(way(report, "ping-storm", "naive").get("factor").doubleValue()).isBetween(0.0, 1.0);
    assertThat(way(report, "ping-storm", "sheaf").get("factor").doubleValue()).isBetween(0.0, 1.0);
    assertThat(ways(report, "zcard-60")).containsExactly("naive", "lettuce-async", "sheaf");
    assertThat(way(report, "zcard-60", "naive").get("roundTrips").longValue()).isEqualTo(60);
    assertThat(way(report, "page-40", "naive").get("roundTrips").longValue()).isEqualTo(40);
    assertThat(way(report, "page-40", "naive").get("commands").longValue()).isEqualTo(40);
    assertThat(way(report, "page-40", "naive").get("factor").doubleValue()).isEqualTo(1);
    assertThat(way(report, "page-40", "naive").get("bytes").longValue()).isGreaterThan(40 * 1_000);
    assertThat(way(report, "page-40", "sheaf").get("roundTrips").longValue())
        .isBetween(1L, (long) EmbeddedTarget.MASTERS);
    assertThat(way(report, "pings-50", "naive").get("roundTrips").longValue()).isEqualTo(50);
    assertThat(ways(report, "bandwidth")).containsExactly("naive", "gzip", "sheaf");
    JsonNode raw = way(report, "bandwidth", "naive");
    JsonNode compressed = way(report, "bandwidth", "sheaf");
    assertThat(raw.get("factor").doubleValue()).isEqualTo(1);
    assertThat(compressed.get("factor").doubleValue())
        .isEqualTo(raw.get("bytes").doubleValue() / compressed.get("bytes").doubleValue())
        .isGreaterThan(2);
    assertThat(printed())
        .containsPattern("sheaf +[0-9.]+ ms, [0-9.]+x fewer bytes; .*of the server's memory");
    assertThat(Files.readString(output().resolve("report.html")))
        .contains("page-40", "Bytes on the wire", "of the server&#39;s memory", "</html>");
  }

  @Test
  void givenServer_isLeftAsItWas() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("sheaf-demo:mine", "untouched");

      int exit = run(options(server.uri()));

      assertThat(exit).as(printed()).isZero();
      assertThat(sheaf.sync().keys("*")).containsExactly("sheaf-demo:mine");
      assertThat(way(json(), "page-40", "naive").get("roundTrips").isNull()).isTrue();
      assertThat(way(json(), "bandwidth", "sheaf").get("factor").doubleValue()).isPositive();
      assertThat(Files.readString(output().resolve("report.html"))).contains("Runs", server.uri());
    }
  }

  @Test
  void givenServer_wrongResult_failsWithItsExitCodeAndCleansUp() {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      DemoOptions options = options(server.uri());

      int exit = Demo.run(options, new Tampering(sheaf), out());

      assertThat(exit).isEqualTo(Demo.EXIT_WRONG_RESULT);
      assertThat(printed()).contains("Wrong result: page-3, way naive: value 2 of 3 is tampered");
      assertThat(sheaf.sync().keys("*")).isEmpty();
      assertThat(output().resolve("report.json")).doesNotExist();
    }
  }

  @Test
  void nobodyListens_isExplainedInOneLine_andNoFormerReportIsLeft() throws IOException {
    Files.createDirectories(output());
    Files.writeString(output().resolve("report.json"), "[]");
    int port;
    try (ServerSocket closedAtOnce = new ServerSocket(0)) {
      port = closedAtOnce.getLocalPort();
    }

    int exit = run(options("redis://user:secret@127.0.0.1:" + port));

    assertThat(exit).isEqualTo(Demo.EXIT_PROBLEM);
    assertThat(printed())
        .contains("the connection was refused; is a server listening on that port?")
        .doesNotContain("secret", "\tat ");
    assertThat(output().resolve("report.json")).doesNotExist();
  }

  @Test
  void noServerUri_isExplained() {
    int exit = run(options("localhost:6379"));

    assertThat(exit).isEqualTo(Demo.EXIT_PROBLEM);
    assertThat(printed()).contains("Not a server URI: it has no scheme").doesNotContain("\tat ");
  }

  @Test
  void noDocuments_isExplained() {
    DemoOptions options = DemoOptions.of(properties(folder.resolve("absent"), ""));

    assertThat(Demo.run(options, options, out())).isEqualTo(Demo.EXIT_PROBLEM);
    assertThat(printed()).contains("No documents: looked below").doesNotContain("\tat ");
  }

  @Test
  void options_emptyProperties_haveDefaults() {
    DemoOptions options = DemoOptions.of(properties(folder, ""));

    assertThat(options.ownServer()).isFalse();
    assertThat(options.keyPrefix()).isEqualTo("sheaf-demo:");
    assertThat(options.pages()).containsExactly(30, 100, 1_000);
    assertThat(options.command()).isEqualTo("./mvnw -q -Pdemo");
  }

  @Test
  void options_commandAndUri_hidePasswords() {
    DemoOptions options = DemoOptions.of(properties(folder, "redis://me:p@ss@host:1"));

    assertThat(options.command()).isEqualTo("./mvnw -q -Pdemo -Dredis=redis://***@host:1");
  }

  @Test
  void progress_longStep_isNamedAgainAndAgain() {
    try (Progress progress = new Progress(out())) {
      progress.doing("something long");
      long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (secondsNamed().size() < 2 && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
    }
    assertThat(secondsNamed()).hasSizeGreaterThanOrEqualTo(2).isSorted().doesNotHaveDuplicates();
  }

  private List<Integer> secondsNamed() {
    return Pattern.compile("\\.\\.\\. something long \\((\\d+) s\\)")
        .matcher(printed())
        .results()
        .map(line -> Integer.valueOf(line.group(1)))
        .toList();
  }

  /** Changes a document behind the experiment's back. */
  private record Tampering(Sheaf<String, String> sheaf) implements ExperimentPlan {

    @Override
    public List<Experiment> experiments(Documents documents, TargetServer server) {
      String keyPrefix = server.keyPrefix();
      sheaf.sync().set(keyPrefix + documents.page(3).get(1).key(), "tampered");
      return List.of(new PageExperiment(documents, keyPrefix, 3));
    }

    @Override
    public int minKeys() {
      return 3;
    }
  }

  private int run(DemoOptions options) {
    return Demo.run(options, options, out());
  }

  private DemoOptions options(String redis) {
    Path repository = new TestRepository(folder.resolve("repository")).withPoms(25).folder();
    DemoOptions defaults = DemoOptions.of(properties(repository, redis));
    return new DemoOptions(
        repository,
        output(),
        redis,
        defaults.keyPrefix(),
        Duration.ofNanos(50_000),
        List.of(5, 40),
        4,
        50,
        60,
        QUICK);
  }

  private Properties properties(Path repository, String redis) {
    Properties properties = new Properties();
    properties.setProperty("demo.repository", repository.toString());
    properties.setProperty("demo.output", output().toString());
    properties.setProperty("redis", redis);
    properties.setProperty("keyPrefix", "");
    return properties;
  }

  private Path output() {
    return folder.resolve("output");
  }

  private PrintStream out() {
    return new PrintStream(printed, true, StandardCharsets.UTF_8);
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(output().resolve("report.json").toFile());
  }

  private static List<String> ways(JsonNode report, String experiment) {
    return report.findParents("way").stream()
        .filter(way -> way.get("experiment").textValue().equals(experiment))
        .map(way -> way.get("way").textValue())
        .toList();
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
