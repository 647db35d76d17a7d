// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The Markdown pages of the project, and what stands in them. */
final class Pages {

  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern BLOCK =
      Pattern.compile("^( *)```(\\w*)\n(.*?)^ *```", Pattern.MULTILINE | Pattern.DOTALL);

  private Pages() {}

  /** A fenced block; of the language that it names, or "". */
  record Block(Path page, String language, String text) {}

  static List<Path> all() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      Stream.concat(top, docs)
          .filter(page -> page.toString().endsWith(".md"))
          .filter(page -> !page.startsWith(ROOT.resolve("docs/api")))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }

  static String read(String page) throws IOException {
    return Files.readString(ROOT.resolve(page));
  }

  static List<Block> blocks(Path page) throws IOException {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(Files.readString(page));
    while (matcher.find()) {
      blocks.add(new Block(page, matcher.group(2), matcher.group(3)));
    }
    return blocks;
  }

  /** The text below a heading, up to the next one of its level or above; "" for the whole page. */
  static String section(String page, String heading) throws IOException {
    String text = read(page);
    if (heading.isEmpty()) {
      return text;
    }
    Matcher start =
        Pattern.compile("^(#+) " + Pattern.quote(heading) + "$", Pattern.MULTILINE).matcher(text);
    if (!start.find()) {
      throw new AssertionError(page + " has no heading \"" + heading + "\"");
    }
    Matcher end =
        Pattern.compile("^#{1," + start.group(1).length() + "} ", Pattern.MULTILINE).matcher(text);
    return text.substring(start.end(), end.find(start.end()) ? end.start() : text.length());
  }

  /** The cells of all rows of tables whose first cell is code. */
  static List<List<String>> rows(String text) {
    return text.lines()
        .filter(line -> line.startsWith("| `"))
        .map(
            line ->
                Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("(?<!\\\\)\\|", -1))
                    .map(String::strip)
                    .toList())
        .toList();
  }

  /** What stands between backticks. */
  static String code(String cell) {
    return cell.substring(cell.indexOf('`') + 1, cell.lastIndexOf('`'));
  }
}
