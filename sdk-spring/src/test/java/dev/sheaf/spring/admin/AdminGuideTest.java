// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** The guide and its reference say what the code does. */
class AdminGuideTest {

  private static final Pattern OPTION =
      Pattern.compile("^\\| `([a-z.-]+)` \\| (\\S+) \\|", Pattern.MULTILINE);

  @Test
  void options_areThoseOfTheProperties() throws Exception {
    Map<String, String> expected = new TreeMap<>();
    collect("", BoundProperties.bound(), expected);

    Map<String, String> rows = new TreeMap<>();
    Matcher matcher = OPTION.matcher(reference().substring(reference().indexOf("## Options")));
    while (matcher.find()) {
      rows.put(matcher.group(1), matcher.group(2));
    }

    assertThat(rows).isEqualTo(expected);
  }

  private static void collect(String prefix, Object properties, Map<String, String> target)
      throws Exception {
    for (RecordComponent component : properties.getClass().getRecordComponents()) {
      Object value = component.getAccessor().invoke(properties);
      String option =
          prefix + component.getName().replaceAll("(?<=.)(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
      if (value instanceof Record) {
        collect(option + ".", value, target);
      } else {
        target.put(option, written(value));
      }
    }
  }

  private static String written(Object value) {
    if (value instanceof Collection<?> list) {
      return list.isEmpty()
          ? "none"
          : list.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
    if (value instanceof DataSize size) {
      return size.toMegabytes() + "MB";
    }
    if (value instanceof Duration duration) {
      return duration.toSeconds() + "s";
    }
    return value.toString().toLowerCase(Locale.ROOT);
  }

  @Test
  void usualPatterns_areListed() throws IOException {
    assertThat(patterns("lifts these")).isEqualTo(KeyRules.USUAL_DENIALS);
    assertThat(patterns("Where redaction cannot be proven")).isEqualTo(NameRules.USUAL_NAMES);
  }

  /** The patterns of the last paragraph before a text that has nothing but patterns. */
  private static List<String> patterns(String before) throws IOException {
    String lists = reference();
    String[] paragraphs = lists.substring(0, lists.indexOf(before)).split("\n\n");
    List<String> found = new ArrayList<>();
    for (String paragraph : paragraphs) {
      if (paragraph.matches("(?s)`[^`]+`(,\\s+`[^`]+`)+\\s*")) {
        found.clear();
        Pattern.compile("`([^`]+)`")
            .matcher(paragraph)
            .results()
            .forEach(pattern -> found.add(pattern.group(1)));
      }
    }
    return found;
  }

  @Test
  void accessRules_areTheOnesThatAreTested() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/sheaf/spring/admin/AdminSecurity.java"));
    String begin = "// guide:begin\n";
    String rules =
        source.substring(source.indexOf(begin) + begin.length(), source.indexOf("// guide:end"));
    String snippet =
        Arrays.stream(guide().split("\n"))
            .map(line -> line.startsWith("   ") ? line.substring(3) : line)
            .collect(Collectors.joining("\n"));

    assertThat(snippet).contains(rules.strip());
  }

  @Test
  void numbersInTheText_areThoseOfTheCode() throws IOException {
    assertThat(reference())
        .contains(String.format(Locale.ROOT, "more than %,d bytes", KeyBytes.MAX_KEY_BYTES))
        .contains(BoundedCalls.MAX_WAITING + " more requests may wait");
    assertThat(guide())
        .contains("`" + ReadAudit.EVENT_TYPE + "`")
        .contains("`" + JsonRedactor.MASK + "`");
    for (ReadAudit.Outcome outcome : ReadAudit.Outcome.values()) {
      assertThat(guide())
          .contains("`" + outcome.name().toLowerCase(Locale.ROOT).replace('_', '-') + "`");
    }
  }

  @Test
  void pictures_exist() throws IOException {
    Pattern.compile("]\\(\\.\\./(images/[^)]+)\\)")
        .matcher(guide())
        .results()
        .forEach(picture -> assertThat(Path.of("..", "docs", picture.group(1))).isNotEmptyFile());
  }

  private static String reference() throws IOException {
    return Files.readString(Path.of("..", "docs", "reference", "admin.md"));
  }

  private static String guide() throws IOException {
    return Files.readString(Path.of("..", "docs", "guide", "admin.md"));
  }
}
