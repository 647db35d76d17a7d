// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The code on the first screen of the README is this code, and it runs. */
class ReadmeExampleTest {

  private static final Path SOURCE =
      Path.of("src", "test", "java", "dev", "sheaf", "ReadmeExampleTest.java");

  private static void example(String uri, PrintStream out) {
    // begin
    try (Sheaf<String, String> sheaf = Sheaf.connect(uri)) {
      sheaf.sync().set("item:1", "apple");
      Map<String, Result<String>> page = sheaf.getAll(List.of("item:1", "item:2"));
      out.println(page.get("item:2").orElse("none"));
      for (String key : sheaf.loop(page.keySet())) {
        out.println(sheaf.sync().get(key));
      }
    }
    // end
  }

  @Test
  void example_runs() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (EmbeddedServer server = EmbeddedServer.start()) {
      example(server.uri(), new PrintStream(out, true, StandardCharsets.UTF_8));
    }
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("none", "apple", "null");
  }

  @Test
  void example_isThatOfTheReadme() throws IOException {
    String readme = between(Files.readString(Path.of("..", "README.md")), "```java\n", "```");
    String source = between(Files.readString(SOURCE), "// begin\n", "// end");
    assertThat(code(readme))
        .isEqualTo(
            code(source)
                .replace("connect(uri)", "connect(\"redis://localhost:6379\")")
                .replace("out.println", "System.out.println"));
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }

  /** The statements alone: without comments, and however they are indented. */
  private static String code(String text) {
    return text.lines()
        .map(line -> line.replaceFirst("\\s+//.*$", "").trim())
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }
}
