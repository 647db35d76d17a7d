// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between pages lead somewhere, and every page can be found. */
class LinksTest {

  private static final Pattern FENCED =
      Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$", Pattern.MULTILINE);
  private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z][a-z]\\w+(?:Test|IT))`");
  private static final Pattern NAMED_PATH =
      Pattern.compile("`((?:docs|sdk-core|sdk-spring|examples|benchmarks|\\.ci)/[\\w./-]+)`");

  @Test
  void links_leadToFilesAndHeadings() throws IOException {
    List<String> broken = new ArrayList<>();
    int followed = 0;
    for (Path page : Pages.all()) {
      Matcher link = LINK.matcher(prose(page));
      while (link.find()) {
        String target = link.group(1);
        if (!target.matches("[a-z]+:.*")) {
          followed++;
          if (!leadsSomewhere(page, target)) {
            broken.add(Pages.ROOT.relativize(page) + " -> " + target);
          }
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(followed).isGreaterThan(100);
  }

  @Test
  void testsThatPagesName_exist() throws IOException {
    Set<String> tests = tests();
    List<String> missing = new ArrayList<>();
    for (Path page : Pages.all()) {
      Matcher test = NAMED_TEST.matcher(Files.readString(page));
      while (test.find()) {
        if (!tests.contains(test.group(1))) {
          missing.add(Pages.ROOT.relativize(page) + ": " + test.group(1));
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(tests).hasSizeGreaterThan(100);
  }

  /** The names of all test classes, without the directories that builds write. */
  private static Set<String> tests() throws IOException {
    Set<String> tests = new TreeSet<>();
    Files.walkFileTree(
        Pages.ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return Set.of("target", ".git").contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if (name.matches("\\w+(Test|IT)\\.java")) {
              tests.add(name.replace(".java", ""));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return tests;
  }

  private static boolean leadsSomewhere(Path page, String target) throws IOException {
    int hash = target.indexOf('#');
    String file = hash < 0 ? target : target.substring(0, hash);
    Path to = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (!to.startsWith(Pages.ROOT) || !Files.exists(to)) {
      return false;
    }
    return hash < 0 || anchors(to).contains(target.substring(hash + 1));
  }

  /** As the usual viewers make them of headings. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new TreeSet<>();
    Map<String, Integer> seen = new HashMap<>();
    Matcher heading =
        HEADING.matcher(
            FENCED.matcher(Files.readString(page)).replaceAll("")); // code in headings stays
    while (heading.find()) {
      String anchor =
          heading
              .group(1)
              .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .strip()
              .replace(' ', '-');
      int before = seen.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    return anchors;
  }

  @Test
  void pathsInTheText_exist() throws IOException {
    List<String> missing = new ArrayList<>();
    for (Path page : Pages.all()) {
      Matcher path = NAMED_PATH.matcher(Files.readString(page));
      while (path.find()) {
        String named = path.group(1);
        boolean made = named.contains("/target/") || named.startsWith("docs/api");
        if (!made && !Files.exists(Pages.ROOT.resolve(named))) {
          missing.add(Pages.ROOT.relativize(page) + ": " + named);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void index_hasEveryPageForUsers() throws IOException {
    String index = Pages.read("docs/README.md");
    assertThat(
            Stream.of("start", "guide", "operate", "reference", "migrate")
                .flatMap(LinksTest::pagesIn))
        .hasSizeGreaterThan(30)
        .allSatisfy(page -> assertThat(index).contains("](" + page + ")"));
    assertThat(Pages.read("README.md")).contains("](docs/README.md)").contains("](README.ko.md)");
    assertThat(Pages.read("README.ko.md")).contains("](README.md)").contains("](docs/README.md)");
  }

  private static Stream<String> pagesIn(String folder) {
    String[] names = Pages.ROOT.resolve("docs").resolve(folder).toFile().list();
    return Stream.of(Objects.requireNonNull(names, folder)).map(name -> folder + "/" + name);
  }

  private static String prose(Path page) throws IOException {
    return FENCED.matcher(Files.readString(page)).replaceAll("").replaceAll("`[^`\n]*`", "");
  }
}
