package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.RedisProcess;
import dev.sheaf.benchmarks.servers.Tools;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Where and with what was measured: names and values, in the order in which they are reported.
 *
 * @param facts the names and values
 */
record Environment(Map<String, String> facts) {

  /** From this load for each core on, others take a share of the processors that shows. */
  private static final double BUSY_LOAD_PER_CORE = 0.5;

  /** Looks around. */
  static Environment observe(Programs programs) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    facts.put("Commit", commit());
    facts.put(
        "Processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
    facts.put("System", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("JVM", programs.jvm());
    facts.put(
        "Server", Tools.output(RedisProcess.EXECUTABLE, "--version").replaceFirst(" sha=.*", ""));
    facts.putAll(versions());
    facts.put("Load before", loadAverage());
    return new Environment(facts);
  }

  /** This JVM in its own words. */
  static String ownJvm() {
    return System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version");
  }

  /** Whether others used the machine so much that times mean little, by the facts of a run. */
  static boolean isBusy(Map<String, String> facts) {
    try {
      return Double.parseDouble(facts.getOrDefault("Load before", "0"))
          > BUSY_LOAD_PER_CORE * Runtime.getRuntime().availableProcessors();
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** The mean number of busy threads on the machine in the last minute, as text. */
  static String loadAverage() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : Numbers.rounded(load);
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
}
