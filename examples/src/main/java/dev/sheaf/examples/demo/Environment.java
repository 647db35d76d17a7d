package dev.sheaf.examples.demo;

import dev.sheaf.Sheaf;
import io.lettuce.core.LettuceVersion;
import io.netty.channel.Channel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the figures were measured on and with, as names and values in the order to show. */
final class Environment {

  private Environment() {}

  static Map<String, String> describe() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Date", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(now()));
    facts.put("Machine", machine());
    facts.put("System", property("os.name") + " " + property("os.version"));
    facts.put("JDK", property("java.vm.name") + " " + property("java.runtime.version"));
    facts.put("Sheaf", version(Sheaf.class));
    facts.put("Lettuce", LettuceVersion.getVersion());
    facts.put("Netty", version(Channel.class));
    return facts;
  }

  private static OffsetDateTime now() {
    return OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS);
  }

  private static String machine() {
    return Runtime.getRuntime().availableProcessors()
        + " processors ("
        + processor()
        + "), "
        + Figures.bytes(memory())
        + " of memory";
  }

  private static String processor() {
    String architecture = property("os.arch");
    try (Stream<String> lines =
        Files.lines(Path.of("/proc/cpuinfo"), StandardCharsets.ISO_8859_1)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .map(model -> model + ", " + architecture)
          .orElse(architecture);
    } catch (IOException e) {
      return architecture;
    }
  }

  private static @Nullable Long memory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? Long.valueOf(system.getTotalMemorySize())
        : null;
  }

  private static String version(Class<?> type) {
    String version = type.getPackage().getImplementationVersion();
    return version == null ? "development build" : version;
  }

  private static String property(String name) {
    return System.getProperty(name, "unknown");
  }
}
