// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The loggers of the client and the starter: by one facade, with the names of the page. */
class LoggersTest {

  private static final Pattern NAMED = Pattern.compile("LoggerFactory\\.getLogger\\(\"([^\"]+)\"");
  private static final Pattern OTHERS =
      Pattern.compile(
          "System\\.getLogger|InternalLogger|LogFactory|java\\.util\\.logging"
              + "|getLogger\\((?!\")");

  private static List<String> sources() throws IOException {
    try (Stream<Path> core = Files.walk(Pages.ROOT.resolve("sdk-core/src/main/java"));
        Stream<Path> spring = Files.walk(Pages.ROOT.resolve("sdk-spring/src/main/java"))) {
      return Stream.concat(core, spring)
          .filter(path -> path.toString().endsWith(".java"))
          .map(LoggersTest::read)
          .toList();
    }
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new IllegalStateException(path.toString(), e);
    }
  }

  @Test
  void loggers_areThoseOfThePage() throws IOException {
    Set<String> documented =
        Pages.rows(Pages.section("docs/reference/errors.md", "Logs")).stream()
            .map(row -> Pages.code(row.get(0)))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> used = new TreeSet<>();
    for (String source : sources()) {
      Matcher matcher = NAMED.matcher(source);
      while (matcher.find()) {
        used.add(matcher.group(1));
      }
    }
    assertThat(used).isEqualTo(documented);
  }

  @Test
  void allLogging_isByOneFacade() throws IOException {
    assertThat(sources()).noneMatch(source -> OTHERS.matcher(source).find());
  }
}
