// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.scripts.ScriptLibrary;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Dashboard and alerts ask for meters, tags and values that a client reports to Prometheus. */
class GrafanaTest {

  private static final Path DASHBOARD = Path.of("..", "docs", "grafana", "sheaf.json");
  private static final Path ALERTS = Path.of("..", "docs", "grafana", "alerts.yml");
  private static final Pattern SAMPLE =
      Pattern.compile("^(sheaf_\\w+)(?:\\{([^}]*)})? ", Pattern.MULTILINE);
  private static final Pattern ASKED = Pattern.compile("(sheaf_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=~?\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern GROUPED = Pattern.compile("by \\((\\w+)\\) \\(rate\\((sheaf_\\w+)");

  /** The names of the reported meters, with each tag and its values. */
  private static final Map<String, Map<String, Set<String>>> REPORTED = new TreeMap<>();

  @BeforeAll
  static void report() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    // As Spring Boot adds it by management.metrics.tags.application; Prometheus adds the other.
    registry.config().commonTags("application", "shop", "instance", "10.0.0.1:8080");
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(AdminApp.SERVER.uri())
            .meterRegistry(registry)
            .compression(
                CompressionOptions.builder().dictionaries(DictionaryOptions.defaults()).build())
            .learnLoops(true)
            .connect()) {
      sheaf.availability().isAvailable();
      sheaf.sync().set("grafana:1", "lorem ipsum ".repeat(100));
      sheaf.getAll(List.of("grafana:1"));
      sheaf.readThrough("grafana:1", Duration.ofMinutes(1), key -> "x");
      sheaf.scripts().register(ScriptLibrary.SUM_LLEN).call(List.of("grafana:none"));
      SAMPLE.matcher(registry.scrape()).results().forEach(GrafanaTest::add);
    }
  }

  private static void add(MatchResult sample) {
    Map<String, Set<String>> tags = REPORTED.computeIfAbsent(sample.group(1), x -> new TreeMap<>());
    if (sample.group(2) != null) {
      labels(sample.group(2))
          .forEach((name, value) -> tags.computeIfAbsent(name, x -> new TreeSet<>()).add(value));
    }
  }

  private static Map<String, String> labels(String text) {
    return LABEL
        .matcher(text)
        .results()
        .collect(Collectors.toMap(label -> label.group(1), label -> label.group(2)));
  }

  @Test
  void allThatIsAskedFor_isReported() throws IOException {
    List<String> expressions = expressions();
    assertThat(expressions).hasSizeGreaterThan(20);

    for (String expression : expressions) {
      Matcher asked = ASKED.matcher(expression);
      while (asked.find()) {
        assertThat(REPORTED).containsKey(asked.group(1));
        if (asked.group(2) != null) {
          labels(asked.group(2))
              .forEach((name, value) -> assertReported(asked.group(1), name, value));
        }
      }
      GROUPED
          .matcher(expression)
          .results()
          .forEach(group -> assertThat(REPORTED.get(group.group(2))).containsKey(group.group(1)));
    }
  }

  private static void assertReported(String meter, String tag, String value) {
    assertThat(REPORTED.get(meter)).as(meter).containsKey(tag);
    if (!value.startsWith("$")) {
      assertThat(REPORTED.get(meter).get(tag)).as(meter + " " + tag).contains(value);
    }
  }

  @Test
  void panels_neitherOverlapNorShareTheirNumber() throws IOException {
    Set<String> cells = new HashSet<>();
    Set<Integer> numbers = new HashSet<>();
    for (JsonNode panel : dashboard().get("panels")) {
      assertThat(numbers.add(panel.get("id").asInt())).isTrue();
      JsonNode place = panel.get("gridPos");
      for (int x = 0; x < place.get("w").asInt(); x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          String cell = (place.get("x").asInt() + x) + "," + (place.get("y").asInt() + y);
          assertThat(cells.add(cell)).as(panel.get("title") + " at " + cell).isTrue();
        }
      }
    }
  }

  private static List<String> expressions() throws IOException {
    Stream<String> alerts =
        Pattern.compile("(?m)^ +expr: (.+)$")
            .matcher(Files.readString(ALERTS))
            .results()
            .map(expression -> expression.group(1));
    Stream<String> panels =
        dashboard()
            .get("panels")
            .valueStream()
            .flatMap(panel -> panel.path("targets").valueStream())
            .map(target -> target.get("expr").asString());
    return Stream.concat(panels, alerts).toList();
  }

  private static JsonNode dashboard() throws IOException {
    return JsonMapper.shared().readTree(Files.readString(DASHBOARD));
  }
}
