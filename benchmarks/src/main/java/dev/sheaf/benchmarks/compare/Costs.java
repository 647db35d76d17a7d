// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.Servers;
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

/** The resources that a client's process and its servers have used, by their names in results. */
final class Costs {

  static final String CLIENT_CPU = "client CPU us";

  /** How often a thread of the client slept and had to be woken: voluntary context switches. */
  static final String WAKE_UPS = "wake-ups";

  static final String SERVER_CPU = "server CPU us";
  static final String COMMANDS = "commands";

  /** Reads from sockets; some servers do not count them. */
  static final String SERVER_READS = "server reads";

  private static final Pattern WAITS = Pattern.compile("\nvoluntary_ctxt_switches:\\s*(\\d+)");

  private Costs() {}

  /** Reads the totals so far; of the process where the system reports them, as Linux does. */
  static Map<String, Double> soFar(long pid, String uri) {
    Map<String, Double> costs = new TreeMap<>();
    ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .ifPresent(time -> costs.put(CLIENT_CPU, time.toNanos() / 1e3));
    try {
      costs.put(WAKE_UPS, waits(Path.of("/proc", Long.toString(pid), "task")));
    } catch (IOException notLinux) {
      // Other systems have no such directory.
    }
    for (HostAndPort node : Servers.masters(uri)) {
      try (Jedis jedis = new Jedis(node)) {
        ofServer(jedis.info("everything"))
            .forEach((name, cost) -> costs.merge(name, cost, Double::sum));
      }
    }
    return costs;
  }

  /** Returns the costs of each operation between two readings. */
  static Map<String, Double> each(
      Map<String, Double> before, Map<String, Double> after, double operations) {
    Map<String, Double> costs = new TreeMap<>();
    after.forEach(
        (name, cost) -> costs.put(name, (cost - before.getOrDefault(name, 0.0)) / operations));
    costs.remove(SERVER_READS, 0.0);
    return costs;
  }

  /** Reads them from the reply to INFO. */
  static Map<String, Double> ofServer(String info) {
    double seconds = field(info, "used_cpu_user") + field(info, "used_cpu_sys");
    return Map.of(
        SERVER_CPU,
        seconds * 1e6,
        COMMANDS,
        field(info, "total_commands_processed"),
        SERVER_READS,
        field(info, "total_reads_processed"));
  }

  private static double field(String info, String name) {
    Matcher value = Pattern.compile("(?m)^" + name + ":([0-9.]+)").matcher(info);
    return value.find() ? Double.parseDouble(value.group(1)) : 0;
  }

  /** Summed over live threads. The file of the process covers its first thread only. */
  private static double waits(Path threads) throws IOException {
    double waits = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(threads)) {
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
}
