// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MimeType;

/**
 * The files of the admin page. They are stored beside this class, where no web server serves them
 * by itself. Immutable.
 */
final class PageFiles {

  private static final MimeType HTML = MimeType.valueOf("text/html;charset=UTF-8");

  private static final Map<String, MimeType> TYPES =
      Map.of(
          "page.js", MimeType.valueOf("text/javascript;charset=UTF-8"),
          "page.css", MimeType.valueOf("text/css;charset=UTF-8"),
          "icon.svg", MimeType.valueOf("image/svg+xml;charset=UTF-8"));

  /** The content and type of a file. */
  record File(String text, MimeType type) {}

  private final File page;

  /**
   * Loads the page.
   *
   * @param pagePath the path of the page below the base path
   * @param valuePath the path of the values below the base path
   * @param application the name of the application; can be empty
   */
  PageFiles(String pagePath, String valuePath, String application) {
    String[] segments = pagePath.split("/", -1);
    String self = segments[segments.length - 1];
    String up = "../".repeat(segments.length - 1);
    this.page =
        new File(
            text("page.html")
                .replace("{{policy}}", AdminHeaders.META_POLICY)
                .replace("{{self}}", attribute(self))
                .replace("{{application}}", attribute(application))
                .replace("{{values}}", attribute("./" + up + valuePath)),
            HTML);
  }

  private static String attribute(String text) {
    return text.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
  }

  File page() {
    return page;
  }

  /** Returns a file of the page; null if there is none with this name. */
  @Nullable File file(String name) {
    MimeType type = TYPES.get(name);
    return type == null ? null : new File(text(name), type);
  }

  private static String text(String name) {
    try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The jar of the starter lacks its file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
