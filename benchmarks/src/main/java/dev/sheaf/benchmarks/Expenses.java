package dev.sheaf.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the server and this JVM have used up at one moment.
 *
 * @param server the server's own account
 * @param calls reads and writes of this JVM, or null where the system does not count them
 * @param cpuNanos processor time of this JVM
 * @param allocatedBytes bytes that the live threads of this JVM have allocated; virtual threads are
 *     not among them
 */
record Expenses(
    ServerCounters server, @Nullable SystemCalls calls, long cpuNanos, long allocatedBytes) {

  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static Expenses soFar(String uri) {
    ServerCounters server = ServerCounters.ask(uri);
    long allocated = 0;
    for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
      allocated += Math.max(0, bytes);
    }
    return new Expenses(
        server, SystemCalls.ofThisProcess(), PROCESS.getProcessCpuTime(), allocated);
  }

  /**
   * What was spent for each operation since then; costs that the server does not count are absent.
   */
  Map<Cost, Double> since(Expenses start, long operations) {
    ServerCounters spent = server.minus(start.server);
    double each = 1.0 / operations;
    Map<Cost, Double> costs = new EnumMap<>(Cost.class);
    costs.put(Cost.COMMANDS, spent.commands() * each);
    if (spent.reads() > 0) {
      costs.put(Cost.COMMANDS_PER_READ, (double) spent.commands() / spent.reads());
      costs.put(Cost.SERVER_READS, spent.reads() * each);
    }
    SystemCalls begin = start.calls;
    if (calls != null && begin != null) {
      costs.put(Cost.CLIENT_WRITES, (calls.writes() - begin.writes()) * each);
      costs.put(Cost.CLIENT_READS, (calls.reads() - begin.reads()) * each);
    }
    costs.put(Cost.SERVER_CPU, spent.cpuMicros() * each);
    costs.put(Cost.CLIENT_CPU, (cpuNanos - start.cpuNanos) / 1e3 * each);
    costs.put(Cost.CLIENT_ALLOCATION, (allocatedBytes - start.allocatedBytes) * each);
    return costs;
  }
}
