// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own with the class path of this one, for programs that need options of a JVM. */
public final class ForkedJvm {

  private final Duration patience;
  private final List<String> prefix = new ArrayList<>();
  private final List<String> options =
      new ArrayList<>(List.of("-Dio.lettuce.core.epoll=false", "-Dio.lettuce.core.iouring=false"));

  /**
   * Uses Java's own sockets until an option says otherwise.
   *
   * @param patience how long a program may take
   */
  public ForkedJvm(Duration patience) {
    this.patience = patience;
  }

  /** Puts a command before that of the JVM, which it has to start. */
  public ForkedJvm startedBy(List<String> command) {
    prefix.addAll(command);
    return this;
  }

  /** Adds options of the JVM; of those that contradict each other, the last counts. */
  public ForkedJvm options(String... added) {
    options.addAll(Arrays.asList(added));
    return this;
  }

  /** Runs a program until it ends, which has to be without an error. Returns what it printed. */
  public String run(Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    command.add(program.getName());
    command.addAll(Arrays.asList(arguments));
    Path printed = Files.createTempFile("forked-jvm", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(printed.toFile())
              .start();
      boolean ended;
      try {
        ended = process.waitFor(patience.toSeconds(), TimeUnit.SECONDS);
      } finally {
        process.destroyForcibly();
      }
      String output = Files.readString(printed);
      assertThat(ended).as("ended within %s; it printed: %s", patience, output).isTrue();
      assertThat(process.exitValue()).as(output).isZero();
      return output;
    } finally {
      Files.delete(printed);
    }
  }
}
