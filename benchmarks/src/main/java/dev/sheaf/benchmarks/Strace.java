package dev.sheaf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** strace, attached to a process to count its system calls. Not thread-safe. */
final class Strace {

  private static final String EXECUTABLE = "strace";
  private static final int STOP_SECONDS = 20;

  private final Process process;
  private final Path counts;

  private Strace(Process process, Path counts) {
    this.process = process;
    this.counts = counts;
  }

  static boolean isInstalled() {
    return Tools.areInstalled(EXECUTABLE);
  }

  /**
   * Attaches to a process and its threads; returns once it has.
   *
   * @throws ComparisonException if that is not allowed
   */
  static Strace attach(long pid) {
    try {
      Path counts = Files.createTempFile("sheaf-benchmark", ".strace");
      Process process =
          new ProcessBuilder(
                  EXECUTABLE, "-c", "-f", "-o", counts.toString(), "-p", Long.toString(pid))
              .redirectErrorStream(true)
              .start();
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      if (line == null || !line.contains("attached")) {
        process.destroy();
        throw new ComparisonException("strace cannot attach to a process here: " + line);
      }
      Thread reader = new Thread(() -> output.lines().forEach(ignored -> {}), "strace-output");
      reader.setDaemon(true);
      reader.start();
      return new Strace(process, counts);
    } catch (IOException e) {
      throw new ComparisonException("Cannot start strace: " + e.getMessage(), e);
    }
  }

  /** Detaches, and returns how often each call was made. */
  Map<String, Long> detach() {
    try {
      // Killed otherwise, it would write nothing.
      new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      Map<String, Long> calls = parse(Files.readString(counts));
      Files.delete(counts);
      return calls;
    } catch (IOException e) {
      throw new ComparisonException("strace left no counts: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ComparisonException("Interrupted while strace was ending", e);
    }
  }

  /** Reads strace's summary: share, seconds, microseconds a call, calls, errors if any, name. */
  static Map<String, Long> parse(String summary) {
    Map<String, Long> calls = new LinkedHashMap<>();
    for (String line : summary.split("\n")) {
      String[] fields = line.trim().split("\\s+");
      String name = fields[fields.length - 1];
      if (fields.length >= 5 && fields[0].matches("[0-9.]+") && !name.equals("total")) {
        calls.merge(name, Long.parseLong(fields[3]), Long::sum);
      }
    }
    return calls;
  }
}
