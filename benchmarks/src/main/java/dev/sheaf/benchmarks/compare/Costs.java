// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.Servers;
import dev.sheaf.benchmarks.servers.Tools;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** What a client's process and its servers have used up, by the names that results have for it. */
final class Costs {

  static final String CLIENT_CPU = "client CPU us";

  /** How often a thread of the client went to sleep to be woken: voluntary context switches. */
  static final String WAKE_UPS = "wake-ups";

  static final String SERVER_CPU = "server CPU us";
  static final String COMMANDS = "commands";

  /** Reads from sockets; some servers do not count them. */
  static final String SERVER_READS = "server reads";

  private static final double MICROS_PER_SECOND = 1e6;

  /** Counted from the field after the program's name. */
  private static final int USER_FIELD = 11;

  private static final int SYSTEM_FIELD = 12;
  private static final Pattern WAITS = Pattern.compile("\nvoluntary_ctxt_switches:\\s*(\\d+)");
  private static final double TICKS_PER_SECOND = ticksPerSecond();

  private Costs() {}

  /** Since the beginning; of the process only where the system tells it, as Linux does. */
  static Map<String, Double> soFar(long pid, String uri) {
    Map<String, Double> costs = new TreeMap<>();
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      costs.put(CLIENT_CPU, cpuMicros(Files.readString(process.resolve("stat"))));
      costs.put(WAKE_UPS, waits(process));
    } catch (IOException notLinux) {
      costs.clear();
    }
    for (HostAndPort node : Servers.masters(uri)) {
      try (Jedis jedis = new Jedis(node)) {
        ofServer(jedis.info("everything"))
            .forEach((name, cost) -> costs.merge(name, cost, Double::sum));
      }
    }
    return costs;
  }

  /** What was spent on each operation between two moments. */
  static Map<String, Double> each(
      Map<String, Double> before, Map<String, Double> after, double operations) {
    Map<String, Double> costs = new TreeMap<>();
    after.forEach(
        (name, cost) -> costs.put(name, (cost - before.getOrDefault(name, 0.0)) / operations));
    costs.remove(SERVER_READS, 0.0);
    return costs;
  }

  /** By its reply to INFO. */
  static Map<String, Double> ofServer(String info) {
    double seconds = field(info, "used_cpu_user") + field(info, "used_cpu_sys");
    return Map.of(
        SERVER_CPU,
        seconds * MICROS_PER_SECOND,
        COMMANDS,
        field(info, "total_commands_processed"),
        SERVER_READS,
        field(info, "total_reads_processed"));
  }

  private static double field(String info, String name) {
    Matcher value = Pattern.compile("(?m)^" + name + ":([0-9.]+)").matcher(info);
    return value.find() ? Double.parseDouble(value.group(1)) : 0;
  }

  /** The name of the program stands in parentheses, and may have spaces and parentheses itself. */
  static double cpuMicros(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[SYSTEM_FIELD]);
    return ticks * MICROS_PER_SECOND / TICKS_PER_SECOND;
  }

  /**
   * Summed over the threads that live; what the file of the process says is of its first thread.
   */
  private static double waits(Path process) throws IOException {
    double waits = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(process.resolve("task"))) {
      for (Path task : tasks) {
        try {
          Matcher found = WAITS.matcher(Files.readString(task.resolve("status")));
          waits += found.find() ? Long.parseLong(found.group(1)) : 0;
        } catch (IOException ended) {
          // The thread ended between the listing and the reading.
        }
      }
    }
    return waits;
  }

  private static double ticksPerSecond() {
    try {
      return Double.parseDouble(Tools.output("getconf", "CLK_TCK"));
    } catch (NumberFormatException e) {
      return 100;
    }
  }
}
