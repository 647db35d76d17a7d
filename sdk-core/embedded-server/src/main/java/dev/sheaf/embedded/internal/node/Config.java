package dev.sheaf.embedded.internal.node;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What CONFIG GET and SET see. Only a few of them change what the server does. */
public final class Config {
  private final Map<String, String> values = new TreeMap<>();
  private long slowerThanMicros = 10_000;
  private long latencyThresholdMillis;

  Config() {
    values.put("appendonly", "no");
    values.put("bind", "127.0.0.1");
    values.put("cluster-enabled", "no");
    values.put("cluster-require-full-coverage", "yes");
    values.put("databases", "16");
    values.put("hash-max-listpack-entries", "512");
    values.put("hash-max-listpack-value", "64");
    values.put("hll-sparse-max-bytes", "3000");
    values.put("latency-monitor-threshold", "0");
    values.put("list-max-listpack-size", "-2");
    values.put("lua-time-limit", "5000");
    values.put("busy-reply-threshold", "5000");
    values.put("maxclients", "10000");
    values.put("maxmemory", "0");
    values.put("maxmemory-policy", "noeviction");
    values.put("notify-keyspace-events", "");
    values.put("port", "0");
    values.put("proto-max-bulk-len", "536870912");
    values.put("requirepass", "");
    values.put("save", "");
    values.put("set-max-intset-entries", "512");
    values.put("slowlog-max-len", "128");
    values.put("slowlog-log-slower-than", "10000");
    values.put("timeout", "0");
    values.put("unixsocket", "");
    values.put("zset-max-listpack-entries", "128");
    values.put("zset-max-listpack-value", "64");
  }

  public Map<String, String> values() {
    return values;
  }

  public @Nullable String get(String name) {
    return values.get(name.toLowerCase(Locale.ROOT));
  }

  public void set(String name, String value) {
    values.put(name.toLowerCase(Locale.ROOT), value);
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
