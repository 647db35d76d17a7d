// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Shows that the build rule "no embedded server and no Lua on a production class path" bites: the
 * running build's Maven validates a copy of the project's POMs, once as they are and once with each
 * fault. It runs offline, for this build has fetched all that it needs.
 */
class ProductionClassPathIT {
  private static final String RULE = "stay off the production class path";
  private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
  private static final int TIMEOUT_SECONDS = 120;

  @TempDir Path copy;

  @BeforeEach
  void copyPoms() throws IOException {
    assumeTrue(System.getProperty("maven.home") != null, "not run by Maven");
    Path root = Path.of(property("sheaf.root"));
    String parent = Files.readString(root.resolve("pom.xml"));
    Files.writeString(copy.resolve("pom.xml"), parent);
    Matcher modules = MODULE.matcher(parent);
    while (modules.find()) {
      Path module = Files.createDirectories(copy.resolve(modules.group(1)));
      Files.copy(root.resolve(modules.group(1)).resolve("pom.xml"), module.resolve("pom.xml"));
    }
  }

  @Test
  void pomsAsTheyAre_areValid() throws Exception {
    Outcome outcome = validate("sdk-core,sdk-spring");
    assertThat(outcome.printed()).contains("BUILD SUCCESS");
    assertThat(outcome.exitCode()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "sdk-core,   dev.sheaf,              sheaf-embedded-server, compile",
    "sdk-core,   party.iroiro.luajava,   luajava,               provided",
  })
  void forbiddenDependency_failsTheBuildByName(
      String module, String group, String artifact, String scope) throws Exception {
    Path pom = copy.resolve(module).resolve("pom.xml");
    Files.writeString(pom, withDependency(Files.readString(pom), group, artifact, scope));

    Outcome outcome = validate(module);
    assertThat(outcome.printed()).contains(RULE).contains(group + ":" + artifact + ":jar");
    assertThat(outcome.exitCode()).isNotZero();
  }

  /** The starter is compiled against it; an application that wants it adds it by itself. */
  @Test
  void embeddedServerOfTheStarter_isOptional() throws IOException {
    Matcher dependency =
        Pattern.compile(
                "<dependency>\\s*<groupId>dev.sheaf</groupId>\\s*"
                    + "<artifactId>sheaf-embedded-server</artifactId>(.*?)</dependency>",
                Pattern.DOTALL)
            .matcher(Files.readString(copy.resolve("sdk-spring").resolve("pom.xml")));
    assertThat(dependency.find()).isTrue();
    assertThat(dependency.group(1)).contains("<optional>true</optional>");
  }

  /** Puts the dependency in place of the module's own one on that artifact, if there is one. */
  private static String withDependency(String pom, String group, String artifact, String scope) {
    String dependency =
        "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><scope>%s</scope></dependency>"
            .formatted(group, artifact, scope);
    String others =
        pom.replaceAll(
            "(?s)<dependency>\\s*<groupId>%s</groupId>\\s*<artifactId>%s</artifactId>.*?</dependency>"
                .formatted(Pattern.quote(group), Pattern.quote(artifact)),
            "");
    return others.contains("</dependencies>")
        ? others.replaceFirst("(?s)</dependencies>(?!.*</dependencies>)", dependency + "$0")
        : others.replace("</project>", "<dependencies>" + dependency + "</dependencies></project>");
  }

  private Outcome validate(String modules) throws IOException, InterruptedException {
    Path printed = copy.resolve("printed");
    ProcessBuilder maven =
        new ProcessBuilder(
                Path.of(property("maven.home"), "bin", "mvn").toString(),
                "--batch-mode",
                "--offline",
                "-Dmaven.repo.local=" + property("maven.repo.local"),
                "--projects=" + modules,
                "--also-make",
                "validate")
            .directory(copy.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile());
    maven.environment().put("JAVA_HOME", property("java.home"));
    maven.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
    maven
        .environment()
        .put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"); // a short life
    Process process = maven.start();
    try {
      assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
      return new Outcome(process.exitValue(), Files.readString(printed));
    } finally {
      process.destroyForcibly();
    }
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }

  private record Outcome(int exitCode, String printed) {}
}
