// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directories of this JVM's server processes, one each, with the server's process id in a file.
 *
 * <p>A shell waits for the end of a pipe that only this JVM holds open. The pipe ends with the JVM,
 * also when that is killed and no shutdown hook runs; the shell then kills the servers whose ids it
 * finds and removes the directories.
 */
final class ServerFiles {
  private static final String GUARD =
      """
      trap '' HUP INT TERM
      read -r end
      for f in "$1"/*/pid; do [ -f "$f" ] && kill -9 "$(cat "$f")"; done
      rm -rf "$1"
      """;
  private static final AtomicInteger created = new AtomicInteger();
  private static @Nullable Path root;
  // Held for the JVM's life: with the Process its end of the pipe would be collected.
  private static @Nullable Process guard;

  private ServerFiles() {}

  /** Creates an empty directory for one server. */
  static Path newDirectory() {
    try {
      return Files.createDirectory(root().resolve("server-" + created.incrementAndGet()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Has the process killed when this JVM ends before {@link #unguard}. */
  static void guard(Path directory, Process process) {
    try {
      Files.writeString(directory.resolve("pid"), Long.toString(process.pid()));
    } catch (IOException e) {
      process.destroyForcibly();
      throw new UncheckedIOException(e);
    }
  }

  /** Forgets the directory's process, so that a later process of the same id is never killed. */
  static void unguard(Path directory) {
    try {
      Files.deleteIfExists(directory.resolve("pid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the directory of a server that has ended. */
  static void delete(Path directory) {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException e) {
      // Removed before.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static synchronized Path root() throws IOException {
    Path directory = root;
    if (directory == null) {
      directory = Files.createTempDirectory("sheaf-servers-");
      guard =
          new ProcessBuilder("sh", "-c", GUARD, "sh", directory.toString())
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start();
      root = directory;
    }
    return directory;
  }
}
