package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.ServerCounters;
import dev.sheaf.benchmarks.servers.Tools;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client's process and its servers have used up at one moment.
 *
 * @param known whether the system tells the costs of a process, as Linux does
 * @param cpuMicros user and system time of the process
 * @param waits voluntary context switches of its threads: how often one went to sleep to be woken
 * @param server the servers' own account
 */
record Costs(boolean known, double cpuMicros, long waits, ServerCounters server) {

  static final String CLIENT_CPU = "client CPU us";
  static final String WAKE_UPS = "wake-ups";
  static final String SERVER_CPU = "server CPU us";
  static final String COMMANDS = "commands";
  static final String SERVER_READS = "server reads";

  private static final double MICROS_PER_SECOND = 1e6;
  private static final String WAITS = "voluntary_ctxt_switches:";

  /** Counted from the field after the program's name. */
  private static final int USER_FIELD = 11;

  private static final int SYSTEM_FIELD = 12;
  private static final double TICKS_PER_SECOND = ticksPerSecond();

  static Costs soFar(long pid, String uri) {
    ServerCounters server = ServerCounters.ask(uri);
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      return new Costs(
          true, cpuMicros(Files.readString(process.resolve("stat"))), waits(process), server);
    } catch (IOException notLinux) {
      return new Costs(false, 0, 0, server);
    }
  }

  /** The name of the program stands in parentheses, and may have spaces and parentheses itself. */
  static double cpuMicros(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[SYSTEM_FIELD]);
    return ticks * MICROS_PER_SECOND / TICKS_PER_SECOND;
  }

  /**
   * Summed over the threads that live; what the file of the process says is of its first thread.
   */
  private static long waits(Path process) throws IOException {
    long waits = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(process.resolve("task"))) {
      for (Path task : tasks) {
        waits += waitsOfThread(task);
      }
    }
    return waits;
  }

  private static long waitsOfThread(Path task) {
    try {
      for (String line : Files.readAllLines(task.resolve("status"))) {
        if (line.startsWith(WAITS)) {
          return Long.parseLong(line.substring(WAITS.length()).strip());
        }
      }
    } catch (IOException ended) {
      // The thread ended between the listing and the reading.
    }
    return 0;
  }

  private static double ticksPerSecond() {
    try {
      return Double.parseDouble(Tools.output("getconf", "CLK_TCK"));
    } catch (NumberFormatException e) {
      return 100;
    }
  }

  /** What was spent on each operation since then. */
  Map<String, Double> since(Costs start, double operations) {
    Map<String, Double> costs = new LinkedHashMap<>();
    if (known && start.known) {
      costs.put(CLIENT_CPU, (cpuMicros - start.cpuMicros) / operations);
      costs.put(WAKE_UPS, (waits - start.waits) / operations);
    }
    ServerCounters spent = server.minus(start.server);
    costs.put(SERVER_CPU, spent.cpuMicros() / operations);
    costs.put(COMMANDS, spent.commands() / operations);
    if (spent.reads() > 0) {
      costs.put(SERVER_READS, spent.reads() / operations);
    }
    return costs;
  }
}
