package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The test classes that the page of what works where names are there. */
class CompatibilityGuideTest {

  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");
  private static final Pattern ROW = Pattern.compile("^\\| (?!---|:).*\\|$", Pattern.MULTILINE);

  private static Set<String> testClasses() throws Exception {
    try (Stream<Path> files =
        Stream.concat(
            Files.walk(Path.of("..", "sdk-core", "src", "test", "java")),
            Files.walk(Path.of("src", "test", "java")))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".java"))
          .map(name -> name.substring(0, name.length() - ".java".length()))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void testsThatThePageNames_exist() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "compatibility.md"));
    Set<String> named = new TreeSet<>();
    TEST.matcher(page).results().forEach(found -> named.add(found.group(1)));
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(testClasses()).containsAll(named);
  }

  @Test
  void eachRow_saysWhatShowsIt() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "compatibility.md"));
    assertThat(ROW.matcher(page).results().map(row -> row.group()))
        .hasSizeGreaterThan(20)
        .allSatisfy(
            row ->
                assertThat(
                        TEST.matcher(row).find()
                            || row.endsWith("| Shown by |")
                            || row.endsWith("| the same |")
                            || row.contains("all test classes"))
                    .as(row)
                    .isTrue());
  }
}
