// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page of the documentation that has the chaos' tables. */
public final class ChaosPage {

  /** The documentation, from any module. */
  public static final Path DOCS =
      Path.of(System.getProperty("basedir", ".")).resolve("../docs").normalize();

  private static final Path PAGE = DOCS.resolve("reliability.md");

  private ChaosPage() {}

  /** The page as it is. */
  public static String read() throws IOException {
    return Files.readString(PAGE);
  }

  /** Replaces the page. */
  public static void write(String page) throws IOException {
    Files.writeString(PAGE, page);
  }

  /** A page with another table at the place of this name. */
  public static String replaced(String page, String name, String table) {
    String begin = "<!-- generated: " + name + " -->";
    String end = "<!-- end of " + name + " -->";
    Matcher block =
        Pattern.compile(Pattern.quote(begin) + ".*?" + Pattern.quote(end), Pattern.DOTALL)
            .matcher(page);
    if (!block.find()) {
      throw new IllegalStateException("The page has no place between " + begin + " and " + end);
    }
    return block.replaceFirst(Matcher.quoteReplacement(begin + "\n\n" + table + "\n" + end));
  }

  /** A whole number with commas between thousands; anything else as it is. */
  public static String grouped(String number) {
    return number.matches("\\d{4,}")
        ? String.format(Locale.ROOT, "%,d", Long.parseLong(number))
        : number;
  }
}
