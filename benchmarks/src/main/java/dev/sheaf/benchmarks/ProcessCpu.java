package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time of a process by Linux's account, in microseconds.
 *
 * @param user in the program
 * @param kernel in the system on the program's behalf
 */
record ProcessCpu(double user, double kernel) {

  private static final double MICROS_PER_SECOND = 1e6;

  /** Counted from the field after the program's name. */
  private static final int USER_FIELD = 11;

  private static final int KERNEL_FIELD = 12;

  private static final double TICKS_PER_SECOND = ticksPerSecond();

  static ProcessCpu of(long pid) {
    try {
      return parse(Files.readString(Path.of("/proc/" + pid + "/stat")), TICKS_PER_SECOND);
    } catch (IOException e) {
      throw new UncheckedIOException("Processor times are read from /proc, as on Linux", e);
    }
  }

  /** The name of the program stands in parentheses, and may have spaces and parentheses itself. */
  static ProcessCpu parse(String stat, double ticksPerSecond) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    double microsPerTick = MICROS_PER_SECOND / ticksPerSecond;
    return new ProcessCpu(
        Long.parseLong(fields[USER_FIELD]) * microsPerTick,
        Long.parseLong(fields[KERNEL_FIELD]) * microsPerTick);
  }

  private static double ticksPerSecond() {
    try {
      return Double.parseDouble(Tools.output("getconf", "CLK_TCK").strip());
    } catch (NumberFormatException e) {
      return 100;
    }
  }

  ProcessCpu minus(ProcessCpu earlier) {
    return new ProcessCpu(user - earlier.user, kernel - earlier.kernel);
  }
}
