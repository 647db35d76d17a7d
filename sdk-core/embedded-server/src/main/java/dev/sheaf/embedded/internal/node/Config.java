// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The settings of CONFIG GET and SET. Only a few of them have an effect. */
public final class Config {
  public final Map<String, String> values = new TreeMap<>();
  private long slowerThanMicros = 10_000;
  private long latencyThresholdMillis;
  private long replicasToWrite;

  /** The settings that cannot be changed while the server runs. */
  private static final Set<String> FIXED = new HashSet<>();

  /** The settings that CONFIG GET shows by their whole name only. */
  private static final Set<String> HIDDEN = new HashSet<>();

  /** Settings in bytes, which accept a unit. */
  private static final Set<String> IN_BYTES = new HashSet<>();

  /** The other valid values of a setting: {@code 1..10} or {@code no|yes}. */
  private static final Map<String, String> CHOICES = new TreeMap<>();

  private static final Map<String, String> DEFAULTS = defaults();

  private static Map<String, String> defaults() {
    Map<String, String> defaults = new TreeMap<>();
    for (String line : Edition.lines("config.txt")) {
      String[] words = line.split(" ", 3);
      defaults.put(words[1], words.length < 3 ? "" : words[2]);
      String kind = words[0];
      if (kind.equals("fixed")) {
        FIXED.add(words[1]);
      } else if (kind.equals("hidden")) {
        HIDDEN.add(words[1]);
      } else if (kind.startsWith("memory")) {
        IN_BYTES.add(words[1]);
        kind = kind.substring(kind.indexOf(':') + 1);
      }
      if (kind.contains("..") || kind.contains("|")) {
        CHOICES.put(words[1], kind);
      }
    }
    return defaults;
  }

  Config() {
    values.putAll(DEFAULTS);
  }

  /** Returns whether it cannot be changed while the server runs. */
  public boolean isFixed(String name) {
    return FIXED.contains(name);
  }

  /** Returns whether patterns do not match it. */
  public boolean isHidden(String name) {
    return HIDDEN.contains(name);
  }

  /** Returns whether it is a number of bytes, which accepts a unit. */
  public boolean isInBytes(String name) {
    return IN_BYTES.contains(name);
  }

  /** Returns why the setting cannot have the value; null if it can. */
  public @Nullable String refusal(String name, String value) {
    String choices = CHOICES.getOrDefault(name, "");
    int dots = choices.indexOf("..");
    String known = values.getOrDefault(name, "");
    if (dots >= 0 || known.matches("-?[0-9]+")) {
      Long number = Numbers.parseLong(Bytes.latin(value));
      if (number == null) {
        return "argument couldn't be parsed into an integer";
      }
      return dots < 0
          ? null
          : outside(number, choices.substring(0, dots), choices.substring(dots + 2));
    }
    if (!choices.isEmpty()
        && !List.of(choices.split("\\|")).contains(value.toLowerCase(Locale.ROOT))) {
      return "argument(s) must be one of the following: " + choices.replace("|", ", ");
    }
    boolean isSwitch = choices.isEmpty() && known.matches("yes|no");
    return isSwitch && !value.matches("(?i)yes|no") ? "argument must be 'yes' or 'no'" : null;
  }

  private static @Nullable String outside(long number, String least, String most) {
    long end = most.isEmpty() ? Long.MAX_VALUE : Long.parseLong(most);
    return number >= Long.parseLong(least) && number <= end
        ? null
        : "argument must be between " + least + " and " + end + " inclusive";
  }

  /** Returns the current name of a setting with two names. */
  private static String preferred(String name) {
    return name.equals("lua-time-limit")
        ? "busy-reply-threshold"
        : name.replace("slave", "replica").replace("ziplist", "listpack");
  }

  public @Nullable String get(String name) {
    return values.get(name.toLowerCase(Locale.ROOT));
  }

  public void set(String name, String value) {
    String wanted = preferred(name.toLowerCase(Locale.ROOT));
    boolean isWord = CHOICES.getOrDefault(wanted, "").contains("|");
    String kept = isWord || value.matches("(?i)yes|no") ? value.toLowerCase(Locale.ROOT) : value;
    values.replaceAll((known, former) -> preferred(known).equals(wanted) ? kept : former);
    slowerThanMicros = number("slowlog-log-slower-than");
    latencyThresholdMillis = number("latency-monitor-threshold");
    replicasToWrite = number("min-replicas-to-write");
  }

  /** Returns the time from which a command is in the slow log; negative for never. */
  public long slowerThanMicros() {
    return slowerThanMicros;
  }

  /** Returns the time from which LATENCY records a command; zero for never. */
  public long latencyThresholdMillis() {
    return latencyThresholdMillis;
  }

  /** Returns how many replicas a master must have to accept writes. */
  public long replicasToWrite() {
    return replicasToWrite;
  }

  /** Returns an integer setting. */
  public long number(String name) {
    return Long.parseLong(values.getOrDefault(name, "0"));
  }

  public long busyThresholdMillis() {
    return Long.parseLong(values.getOrDefault("busy-reply-threshold", "5000"));
  }
}
