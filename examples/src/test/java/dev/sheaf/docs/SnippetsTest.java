// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.docs.Pages.Block;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java on the pages stands in a test or an example, and so compiles and, mostly, runs. */
class SnippetsTest {

  /** Pages whose code is compared with its source elsewhere: ReadmeExampleTest, .ci/new-user. */
  private static final Set<String> ELSEWHERE =
      Set.of("README.md", "README.ko.md", "docs/start/java.md", "docs/start/spring.md");

  @TempDir Path folder;

  @Test
  void everyParagraphOfCode_standsInATestOrAnExample() throws IOException {
    String sources = sources();
    List<String> strangers = new ArrayList<>();
    int found = 0;
    for (Path page : Pages.all()) {
      String name = Pages.ROOT.relativize(page).toString();
      for (Block block : Pages.blocks(page)) {
        if (block.language().equals("java") && !ELSEWHERE.contains(name)) {
          for (String paragraph : block.text().split("\n\\s*\n")) {
            found++;
            if (!sources.contains(squeezed(paragraph))) {
              strangers.add(name + ":\n" + paragraph);
            }
          }
        }
      }
    }
    assertThat(strangers).isEmpty();
    assertThat(found).isGreaterThan(40);
  }

  private static String sources() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (String root :
        List.of(
            "examples",
            "sdk-core/src/test",
            "sdk-core/embedded-server/src/test",
            "sdk-spring/src/test")) {
      try (Stream<Path> files = Files.walk(Pages.ROOT.resolve(root))) {
        for (Path file : files.filter(SnippetsTest::isSource).toList()) {
          sources.append(squeezed(Files.readString(file))).append('\n');
        }
      }
    }
    return sources.toString();
  }

  private static boolean isSource(Path path) {
    return path.toString().endsWith(".java") && path.toString().contains("/src/");
  }

  /** Without comments and white space, which formatters change. */
  private static String squeezed(String code) {
    return code.replaceAll("(?m)(^|\\s)(//|# ).*$", "").replaceAll("\\s+", "");
  }

  /** The words differ; what can be compared does not. */
  @Test
  void koreanReadme_hasTheCodeTheHeadingsTheLinksAndTheFiguresOfTheEnglishOne() throws IOException {
    Path english = Pages.ROOT.resolve("README.md");
    Path korean = Pages.ROOT.resolve("README.ko.md");
    assertThat(Pages.blocks(korean).stream().map(block -> squeezed(block.text())))
        .containsExactlyElementsOf(
            Pages.blocks(english).stream().map(block -> squeezed(block.text())).toList());
    for (String pattern :
        List.of(
            "(?m)^#+ ", // headings, by their levels
            "(?m)^- \\*\\*", // features
            "\\]\\((?!README)[^)]+\\)", // links but for the one to the other language
            "`[^`\n]+`", // names of code
            "\\d[\\d.,]*\\d|\\d")) { // figures
      assertThat(found(pattern, korean)).as(pattern).isEqualTo(found(pattern, english));
    }
  }

  /** All that fits, sorted where the order of a sentence may differ. */
  private static List<String> found(String pattern, Path page) throws IOException {
    String prose = Files.readString(page).replaceAll("(?ms)^ *```.*?^ *```", "");
    return Pattern.compile(pattern)
        .matcher(prose)
        .results()
        .map(MatchResult::group)
        .sorted()
        .toList();
  }

  @Test
  void firstProgram_printsWhatThePageSays() throws Exception {
    List<Block> blocks = Pages.blocks(Pages.ROOT.resolve("docs/start/java.md"));
    String program = after(blocks, "java", "public class Hello ");
    Path source = Files.writeString(folder.resolve("Hello.java"), program);
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(
                    null,
                    null,
                    null,
                    "-proc:none",
                    "-classpath",
                    System.getProperty("java.class.path"),
                    source.toString()))
        .isZero();

    PrintStream former = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Method main = loader.loadClass("Hello").getMethod("main", String[].class);
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      main.invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(former);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(after(blocks, "", "item:1: apple"));
  }

  private static String after(List<Block> blocks, String language, String part) {
    return blocks.stream()
        .filter(block -> block.language().equals(language) && block.text().contains(part))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No block with " + part))
        .text();
  }
}
