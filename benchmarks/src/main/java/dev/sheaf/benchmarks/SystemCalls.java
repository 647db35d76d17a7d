package dev.sheaf.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How often a process has read and written, sockets and files alike, by the system's own count,
 * which costs the process nothing.
 *
 * @param reads calls that read
 * @param writes calls that write
 */
record SystemCalls(long reads, long writes) {

  /** Of this process, or null where the system does not tell. */
  static @Nullable SystemCalls ofThisProcess() {
    Path counts = Path.of("/proc/self/io");
    try {
      return Files.isReadable(counts) ? parse(Files.readString(counts)) : null;
    } catch (IOException e) {
      return null;
    }
  }

  static SystemCalls parse(String counts) {
    return new SystemCalls(count(counts, "syscr"), count(counts, "syscw"));
  }

  private static long count(String counts, String name) {
    return counts
        .lines()
        .filter(line -> line.startsWith(name + ": "))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 2)))
        .findFirst()
        .orElse(0);
  }
}
