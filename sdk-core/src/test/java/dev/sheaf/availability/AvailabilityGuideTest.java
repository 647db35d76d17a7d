package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.readthrough.ReadThroughOptions;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables in the guide are those of the code. */
class AvailabilityGuideTest {

  private static final Pattern OPTION =
      Pattern.compile("^\\| `(\\w+)` \\| ([^|]+) \\|", Pattern.MULTILINE);
  private static final Pattern METER =
      Pattern.compile("^\\| `(sheaf\\.[a-z.]+)` \\| ([^|]*)\\|", Pattern.MULTILINE);

  @Test
  void tablesOfOptions_nameEachOptionWithItsDefault() throws Exception {
    Map<String, String> expected = new LinkedHashMap<>();
    addDefaults(AvailabilityOptions.defaults(), expected);
    addDefaults(ReadThroughOptions.defaults(), expected);
    Map<String, String> shown = rows(OPTION);
    // The table of states has such rows, too.
    shown.keySet().removeIf(name -> name.equals(name.toUpperCase(Locale.ROOT)));
    assertThat(shown).isEqualTo(expected);
  }

  private static void addDefaults(Record options, Map<String, String> to) throws Exception {
    for (RecordComponent option : options.getClass().getRecordComponents()) {
      Object value = option.getAccessor().invoke(options);
      to.put(
          option.getName(),
          value instanceof Duration duration
              ? shown(duration)
              : value == null ? "none" : value.toString());
    }
  }

  private static String shown(Duration duration) {
    if (duration.toMillis() % 60_000 == 0) {
      return duration.toMinutes() + " min";
    }
    return duration.toMillis() % 1_000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

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
