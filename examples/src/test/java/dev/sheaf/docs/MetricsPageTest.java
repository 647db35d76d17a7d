// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.scripts.ScriptLibrary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of meters is what a client registers that uses everything. */
class MetricsPageTest {

  private static final String PAGE = "docs/reference/meters.md";

  /** Tags whose values depend on the application. */
  private static final List<String> OPEN_TAGS = List.of("prefix", "script");

  @Test
  void meters_areThoseThatAreRegistered() throws IOException {
    Map<String, String> documented = new TreeMap<>();
    for (List<String> row : Pages.rows(Pages.read(PAGE))) {
      if (row.size() == 5) {
        documented.put(
            Pages.code(row.get(0)), row.get(1) + " | " + row.get(2) + " | " + row.get(3));
      }
    }
    assertThat(documented).isEqualTo(registered());
  }

  private static Map<String, String> registered() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .meterRegistry(registry)
                .compression(CompressionOptions.defaults())
                .learnLoops(true)
                .connect()) {
      sheaf.availability().isAvailable();
      sheaf.sync().set("page:1", "lorem ipsum ".repeat(100));
      sheaf.readThrough("page:1", Duration.ofMinutes(1), key -> "value");
      sheaf.scripts().register(ScriptLibrary.SUM_LLEN).call(List.of("queue:1"));
      Map<String, List<Meter>> byName =
          registry.getMeters().stream()
              .collect(
                  Collectors.groupingBy(
                      meter -> meter.getId().getName(), TreeMap::new, Collectors.toList()));
      Map<String, String> rows = new TreeMap<>();
      byName.forEach((name, meters) -> rows.put(name, row(meters)));
      return rows;
    }
  }

  private static String row(List<Meter> meters) {
    Map<String, TreeSet<String>> tags = new TreeMap<>();
    for (Meter meter : meters) {
      assertThat(meter.getId().getTag("client")).as("%s", meter.getId()).isEqualTo("default");
      for (Tag tag : meter.getId().getTags()) {
        tags.computeIfAbsent(tag.getKey(), key -> new TreeSet<>()).add(tag.getValue());
      }
    }
    tags.remove("client");
    Meter.Id id = meters.get(0).getId();
    String unit = id.getBaseUnit();
    String shown =
        tags.entrySet().stream()
            .map(
                tag ->
                    "`"
                        + tag.getKey()
                        + "`"
                        + (OPEN_TAGS.contains(tag.getKey())
                            ? ""
                            : ": " + String.join(", ", tag.getValue())))
            .collect(Collectors.joining("; "));
    return type(id) + " | " + (unit == null ? "" : unit) + " | " + shown;
  }

  private static String type(Meter.Id id) {
    return switch (id.getType()) {
      case DISTRIBUTION_SUMMARY -> "summary";
      default -> id.getType().name().toLowerCase(Locale.ROOT);
    };
  }
}
