package dev.sheaf.benchmarks.servers;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of the machine. */
public final class Tools {

  private Tools() {}

  /** Whether all of these are on the path. */
  public static boolean areInstalled(String... executables) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(executables)
        .allMatch(
            name ->
                Stream.of(path.split(File.pathSeparator))
                    .filter(entry -> !entry.isEmpty())
                    .anyMatch(entry -> Files.isExecutable(Path.of(entry, name))));
  }

  /** What a program says, without what it complains of; nothing if it cannot be run or fails. */
  public static String output(String... command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? text.strip() : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
