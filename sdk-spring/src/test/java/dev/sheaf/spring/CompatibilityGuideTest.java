// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The page of what works where names tests that there are, and servers and versions of the build.
 */
class CompatibilityGuideTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");
  private static final Pattern ROW = Pattern.compile("^\\| (?!---|:).*\\|$", Pattern.MULTILINE);

  /** What makes a method of a class, or of one that it extends, a test. */
  private static final Pattern HOLDS_TESTS =
      Pattern.compile(
          "@(?:Test|TestFactory|ParameterizedTest|ForEachServer)\\b|class \\w+ extends ");

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/compatibility.md"));
  }

  /** Without the tables that .ci/ran makes. */
  private static String writtenByHand() throws IOException {
    String page = page();
    int made = page.indexOf("<!-- what ran -->");
    int rest = page.indexOf("<!-- end of what ran -->");
    assertThat(made).isPositive().isLessThan(rest);
    return page.substring(0, made) + page.substring(rest);
  }

  private static String checks() throws IOException {
    return Files.readString(ROOT.resolve(".ci/run"));
  }

  private static Set<String> named(String text) {
    return TEST.matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> rows() throws IOException {
    return ROW.matcher(writtenByHand()).results().map(MatchResult::group).toList();
  }

  private static String rowOf(String first) throws IOException {
    return rows().stream()
        .filter(row -> row.startsWith("| " + first + " |"))
        .findFirst()
        .orElse("");
  }

  private static Map<String, Path> testClasses() throws IOException {
    Map<String, Path> classes = new HashMap<>();
    for (String module :
        List.of("sdk-core", "sdk-core/inspector", "sdk-spring", "examples/spring-shop")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .forEach(file -> classes.put(file.getFileName().toString().replace(".java", ""), file));
      }
    }
    return classes;
  }

  @Test
  void testsThatThePageNames_existAndHoldTests() throws Exception {
    Map<String, Path> classes = testClasses();
    Set<String> named = named(page());
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(classes).containsKeys(named.toArray(String[]::new));
    for (String name : named) {
      assertThat(Files.readString(classes.get(name))).as(name).containsPattern(HOLDS_TESTS);
    }
  }

  @Test
  void eachRow_saysWhatShowsIt() throws Exception {
    assertThat(rows())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            row ->
                assertThat(
                        TEST.matcher(row).find()
                            || row.endsWith("| Shown by |")
                            || row.contains("all test classes"))
                    .as(row)
                    .isTrue());
  }

  @Test
  void newerServers_areThoseOfTheChecksWithTheirContracts() throws Exception {
    String checks = checks();
    String contracts = checks.substring(checks.indexOf("contracts_on()"));
    Set<String> run =
        Set.of(first("-Dtest=([^\\s']+)", contracts).replaceAll("#[^,]+", "").split(","));
    for (String server : List.of("Redis 8.0", "Valkey 8.1", "Valkey 9.1")) {
      assertThat(named(rowOf(server))).as(server).isEqualTo(new TreeSet<>(run));
      assertThat(checks).contains(server.toLowerCase(Locale.ROOT).replace(' ', '-'));
    }
    assertThat(checks).contains(".ci/containers up redis:7.0 valkey/valkey:8.1");
  }

  @Test
  void versions_areThoseOfTheBuild() throws Exception {
    String pom = Files.readString(ROOT.resolve("pom.xml"));
    String lettuce = first("<lettuce.version>([\\d.]+)\\.RELEASE<", pom);
    String floor = first("lettuce_floor=([\\d.]+)\\.RELEASE", checks());
    String between = first("lettuce_between=([\\d.]+)\\.RELEASE", checks());
    String boot = first("<spring-boot.version>(\\d+\\.\\d+)\\.", pom);
    assertThat(page())
        .contains(
            "| Lettuce | " + lettuce + " |",
            "| Lettuce | " + floor + " |",
            "| Lettuce | " + between + " |",
            "| Spring Boot with Spring Data Redis | " + boot + " |",
            "| JDK | 17, 25 |");
    assertThat(checks()).contains("'tests on JDK 17'", "'tests on JDK 25'");
  }

  private static String first(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + pattern));
  }
}
