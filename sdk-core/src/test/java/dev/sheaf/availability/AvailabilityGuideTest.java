package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of meters in the guide is that of the code. */
class AvailabilityGuideTest {

  private static final Pattern METER =
      Pattern.compile("^\\| `(sheaf\\.[a-z.]+)` \\| ([^|]*)\\|", Pattern.MULTILINE);

  @ForEachServer(on = Topology.STANDALONE)
  void tableOfMeters_namesEachMeterWithItsTags(ServerUnderTest server) throws IOException {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).connect()) {
      sheaf.availability();
      sheaf.readThrough("guide", Duration.ofMinutes(1), key -> "value");
      assertThat(rows(METER)).isEqualTo(meters(registry));
    }
  }

  private static Map<String, String> meters(SimpleMeterRegistry registry) {
    Map<String, Map<String, TreeSet<String>>> tags = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      String name = meter.getId().getName();
      if (name.startsWith("sheaf.availability") || name.startsWith("sheaf.readthrough")) {
        assertThat(meter.getId().getTag("client")).as(name).isEqualTo("default");
        Map<String, TreeSet<String>> own = tags.computeIfAbsent(name, key -> new TreeMap<>());
        for (Tag tag : meter.getId().getTags()) {
          if (!tag.getKey().equals("client")) {
            own.computeIfAbsent(tag.getKey(), key -> new TreeSet<>()).add(tag.getValue());
          }
        }
      }
    }
    Map<String, String> meters = new TreeMap<>();
    tags.forEach(
        (name, own) -> {
          StringBuilder text = new StringBuilder();
          own.forEach(
              (tag, values) ->
                  text.append('`').append(tag).append("`: ").append(String.join(", ", values)));
          meters.put(name, text.toString());
        });
    return meters;
  }

  private static Map<String, String> rows(Pattern row) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    Matcher matcher =
        row.matcher(Files.readString(Path.of("..", "docs", "guide", "availability.md")));
    while (matcher.find()) {
      rows.put(matcher.group(1), matcher.group(2).strip());
    }
    return rows;
  }
}
