package dev.sheaf.embedded.internal.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What CONFIG GET and SET see. Only a few of them change what the server does. */
public final class Config {
  private final Map<String, String> values = new TreeMap<>();
  private long slowerThanMicros = 10_000;
  private long latencyThresholdMillis;

  /** The settings that cannot be changed while the server runs. */
  private static final Set<String> FIXED = new HashSet<>();

  /** Settings in bytes, which take a unit. */
  private static final Set<String> IN_BYTES = new HashSet<>();

  private static final Map<String, String> DEFAULTS = defaults();

  private static Map<String, String> defaults() {
    Map<String, String> defaults = new TreeMap<>();
    for (String line : lines()) {
      String[] words = line.split(" ", 3);
      if (!words[0].equals("#")) {
        defaults.put(words[1], words.length < 3 ? "" : words[2]);
        if (words[0].equals("fixed")) {
          FIXED.add(words[1]);
        } else if (words[0].equals("memory")) {
          IN_BYTES.add(words[1]);
        }
      }
    }
    return defaults;
  }

  private static List<String> lines() {
    try (InputStream in = Config.class.getResourceAsStream("config.txt")) {
      if (in == null) {
        throw new IllegalStateException("config.txt is missing beside " + Config.class);
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Config() {
    values.putAll(DEFAULTS);
  }

  /** Whether it cannot be changed while the server runs. */
  public boolean isFixed(String name) {
    return FIXED.contains(name);
  }

  /** Whether it is a number of bytes, which takes a unit. */
  public boolean isInBytes(String name) {
    return IN_BYTES.contains(name);
  }

  /** The name Redis prefers where a setting has two. */
  private static String preferred(String name) {
    return name.equals("lua-time-limit")
        ? "busy-reply-threshold"
        : name.replace("slave", "replica").replace("ziplist", "listpack");
  }

  public Map<String, String> values() {
    return values;
  }

  public @Nullable String get(String name) {
    return values.get(name.toLowerCase(Locale.ROOT));
  }

  public void set(String name, String value) {
    String wanted = preferred(name.toLowerCase(Locale.ROOT));
    values.replaceAll((known, former) -> preferred(known).equals(wanted) ? value : former);
    slowerThanMicros = number("slowlog-log-slower-than");
    latencyThresholdMillis = number("latency-monitor-threshold");
  }

  /** From how long a command is in the slow log; negative: never. */
  public long slowerThanMicros() {
    return slowerThanMicros;
  }

  /** From how long LATENCY notes a command; zero: never. */
  public long latencyThresholdMillis() {
    return latencyThresholdMillis;
  }

  /** A setting that is a whole number. */
  public long number(String name) {
    return Long.parseLong(values.getOrDefault(name, "0"));
  }

  public long busyThresholdMillis() {
    return Long.parseLong(values.getOrDefault("busy-reply-threshold", "5000"));
  }
}
