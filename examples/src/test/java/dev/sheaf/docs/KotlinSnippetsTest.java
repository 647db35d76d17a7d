// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.docs.Pages.Block;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Kotlin of the pages compiles, all together, with what the pages take for granted around it.
 */
class KotlinSnippetsTest {

  private static final String AROUND =
      """
      interface Database {
        fun load(key: String): CompletionStage<String?>
      }

      class Snippets(
        val sheaf: Sheaf<String, String>,
        val products: ReadThrough<String, String>,
        val database: Database,
        val ids: List<String>,
      ) {
      %s
      }
      """;

  private static final List<String> IMPORTS =
      List.of(
          "dev.sheaf.Sheaf",
          "dev.sheaf.readthrough.ReadThrough",
          "java.time.Duration",
          "java.util.concurrent.CompletionStage",
          "kotlinx.coroutines.async",
          "kotlinx.coroutines.awaitAll",
          "kotlinx.coroutines.coroutineScope");

  @TempDir Path folder;

  private final Set<String> imports =
      IMPORTS.stream().map("import "::concat).collect(Collectors.toCollection(TreeSet::new));
  private final StringBuilder members = new StringBuilder();
  private int snippets;

  @Test
  void kotlinOfThePages_compiles() throws IOException {
    for (Path page : Pages.all()) {
      for (Block block : Pages.blocks(page)) {
        if (block.language().equals("kotlin")) {
          collect(block.text());
        }
      }
    }
    assertThat(snippets).isGreaterThan(3);
    String program = String.join("\n", imports) + "\n\n" + AROUND.formatted(members);
    Path source = Files.writeString(folder.resolve("Snippets.kt"), program);

    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ExitCode exit =
        new K2JVMCompiler()
            .exec(
                new PrintStream(said, true, StandardCharsets.UTF_8),
                "-no-stdlib", // It is on the class path.
                "-no-reflect",
                "-jvm-target",
                "17",
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                folder.resolve("classes").toString(),
                source.toString());

    assertThat(exit)
        .as("%s\n%s", said.toString(StandardCharsets.UTF_8), program)
        .isEqualTo(ExitCode.OK);
  }

  /** Functions stand beside each other; statements get one around them. */
  private void collect(String snippet) {
    snippets++;
    snippet.lines().filter(line -> line.startsWith("import ")).forEach(imports::add);
    String code =
        snippet
            .lines()
            .filter(line -> !line.startsWith("import "))
            .collect(Collectors.joining("\n"));
    boolean functions = code.strip().matches("(?s)(suspend )?fun .*");
    members.append(functions ? code : "suspend fun snippet%d() {%n%s%n}".formatted(snippets, code));
    members.append("\n");
  }
}
