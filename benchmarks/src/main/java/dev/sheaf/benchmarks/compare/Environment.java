// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.Tools;
import dev.sheaf.testkit.RealRedis;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Describes the machine and the versions of a run. */
final class Environment {

  private Environment() {}

  /** Returns names and values, in the order of the report. */
  static Map<String, String> observe(Programs programs) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    facts.put("Commit", commit());
    facts.put(
        "Processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
    facts.put("System", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("JVM", programs.jvm());
    facts.put("Server", Tools.output(server(), "--version").replaceFirst(" sha=.*", ""));
    facts.putAll(versions());
    facts.put("Load before", loadAverage());
    return facts;
  }

  /** Returns the load average of the last minute, as text. */
  static String loadAverage() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : rounded(load);
  }

  private static Map<String, String> versions() {
    Properties properties = new Properties();
    try (InputStream file = Environment.class.getResourceAsStream("versions.properties")) {
      properties.load(Objects.requireNonNull(file, "versions.properties is not on the class path"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> versions = new TreeMap<>();
    properties.stringPropertyNames().forEach(n -> versions.put(n, properties.getProperty(n)));
    return versions;
  }

  private static String server() {
    return RealRedis.executable().map(Path::toString).orElse("redis-server");
  }

  private static String commit() {
    String commit = Tools.output("git", "rev-parse", "--short", "HEAD");
    boolean changed = !Tools.output("git", "status", "--porcelain").isEmpty();
    return commit.isEmpty() ? "unknown" : commit + (changed ? " with local changes" : "");
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .findFirst()
          .map(line -> line.replaceFirst(".*: *", ""))
          .orElse("unknown");
    } catch (IOException notLinux) {
      String name = Tools.output("sysctl", "-n", "machdep.cpu.brand_string");
      return name.isEmpty() ? System.getProperty("os.arch") : name;
    }
  }

  /**
   * Rounds to three significant digits, or to whole numbers from a hundred on: 0.0123, 1.23,
   * 93,677.
   */
  static String rounded(double value) {
    double size = Math.abs(value);
    int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size == 0 ? 2 : 3;
    return String.format(Locale.ROOT, "%,." + digits + "f", value);
  }
}
