// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.docs.Pages.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The shell commands of the pages are run by .ci/run, or it is known why not. */
class CommandsTest {

  private static final Pattern INLINE = Pattern.compile("`((?:\\./)?mvnw? [^`]+|java -[^`]+)`");

  /** The benchmarks have commands that take minutes and want a quiet machine. */
  private static final Path BENCHMARKS = Pages.ROOT.resolve("docs/benchmarks");

  /** Where a command is run in other words, or why it is not run. */
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry("./mvnw verify", "\"${maven[@]}\" verify"),
          Map.entry("./mvnw -q install -DskipTests", "run 'Get it'"),
          Map.entry("mvn -q compile exec:java", "run 'Plain Java'"),
          Map.entry("mvn -q spring-boot:run", "run 'Spring Boot'"),
          Map.entry("./mvnw verify $(.ci/clients target/clients)", "$(.ci/clients target/clients)"),
          Map.entry(
              "./mvnw verify -Dsheaf.requireServers=true -Dsheaf.requireContainers=true",
              "-Dsheaf.requireContainers=true"));

  private static final Set<String> NOT_RUN =
      Set.of(
          // A part of what ./mvnw verify does.
          "./mvnw -Pfast verify",
          "./mvnw -pl sdk-core -am verify -Dtest=GetContractTest -Dit.test=GetContractTest"
              + " -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false",
          // .ci/reproducible does, without Javadoc, which -Papi makes.
          "./mvnw -Prelease verify",
          // Wants a plugin that no build needs.
          "./mvnw -Psbom -DskipTests package",
          // Wants a former jar, and nothing is released yet.
          "./mvnw -DskipTests -pl sdk-core -am package -Dapi.former=FILE",
          // Its check runs instead.
          "./mvnw spotless:apply -pl '!sdk-core/bom'",
          // With a class path of the reader's; EmbeddedServer's Main has tests.
          "java -cp … dev.sheaf.embedded.Main --port 7000 --cluster 3x1 --latency 1ms"
              + " --version valkey-8.1");

  @Test
  void commands_areRunOrKnown() throws IOException {
    String scripts = Pages.read(".ci/run") + Pages.read(".ci/new-user");
    Set<String> unknown = new TreeSet<>();
    Set<String> seen = new TreeSet<>();
    for (Path page : Pages.all()) {
      if (!page.startsWith(BENCHMARKS)) {
        collect(page, seen);
      }
    }
    for (String command : seen) {
      String run = KNOWN.getOrDefault(command, command);
      if (!NOT_RUN.contains(command) && !scripts.contains(run)) {
        unknown.add(command);
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(seen).containsAll(KNOWN.keySet()).containsAll(NOT_RUN);
  }

  private static void collect(Path page, Set<String> commands) throws IOException {
    for (Block block : Pages.blocks(page)) {
      boolean shell =
          block.language().equals("sh")
              || (block.language().isEmpty() && block.text().startsWith("java -"));
      if (shell) {
        block
            .text()
            .lines()
            .map(line -> line.replaceFirst("\\s+#.*$", "").strip())
            .filter(line -> !line.isEmpty())
            .forEach(commands::add);
      }
    }
    Matcher inline = INLINE.matcher(Files.readString(page).replaceAll("(?s)```.*?```", ""));
    while (inline.find()) {
      commands.add(inline.group(1).replaceAll("\\s+", " "));
    }
  }
}
