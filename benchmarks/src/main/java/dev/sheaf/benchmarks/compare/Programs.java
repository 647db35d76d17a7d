// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.Tools;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * The commands that start the processes of clients: JVMs of one JDK with equal heaps, and a Go
 * program that is built on first use.
 *
 * @param jdk the home of the JDK
 * @param goSources the directory of the Go program
 * @param built the directory for its executable
 */
record Programs(Path jdk, Path goSources, Path built) {

  private static final int VIRTUAL_THREADS_SINCE = 21;

  /** The heap of each JVM, equal so that none gains from free memory of the machine. */
  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  /** Returns the JDK that runs this. */
  static Path ownJdk() {
    return Path.of(System.getProperty("java.home"));
  }

  /** Returns whether the JDK has virtual threads. */
  boolean hasVirtualThreads() {
    return feature() >= VIRTUAL_THREADS_SINCE;
  }

  /** Returns the JDK's feature release; 0 for a directory that is no JDK. */
  int feature() {
    String version = released("JAVA_VERSION");
    return version.isEmpty() || !Files.isExecutable(java())
        ? 0
        : Runtime.Version.parse(version).feature();
  }

  /** Describes the JVM. */
  String jvm() {
    return (released("IMPLEMENTOR") + " " + released("JAVA_RUNTIME_VERSION")).strip();
  }

  /** Reads the JDK's release file, without starting it. */
  private String released(String name) {
    Properties release = new Properties();
    try (Reader file = Files.newBufferedReader(jdk.resolve("release"))) {
      release.load(file);
    } catch (IOException e) {
      return "";
    }
    return release.getProperty(name, "").replace("\"", "");
  }

  private Path java() {
    return jdk.resolve("bin").resolve("java");
  }

  /**
   * Returns the command that starts a client.
   *
   * @throws ComparisonException if the Go program cannot be built; the message says why
   */
  List<String> command(Client client) {
    if (client == Client.RUEIDIS) {
      return List.of(goProgram().toString());
    }
    return List.of(
        java().toString(),
        HEAP.get(0),
        HEAP.get(1),
        "-cp",
        System.getProperty("java.class.path"),
        ClientMain.class.getName(),
        client.name());
  }

  private Path goProgram() {
    if (Tools.output("go", "version").isEmpty()) {
      throw new ComparisonException("go is not on the PATH");
    }
    Path program = built.toAbsolutePath().resolve("rueidis-bench");
    String sources = goSources.toString();
    Tools.output("go", "-C", sources, "build", "-buildvcs=false", "-o", program.toString());
    if (!Files.isExecutable(program)) {
      throw new ComparisonException("go could not build " + goSources + "; go build says why");
    }
    return program;
  }
}
