package dev.sheaf.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads of a JVM that has them; this code is compiled for one that has none. */
final class VirtualThreads {

  private static final int FIRST_JDK = 21;

  private VirtualThreads() {}

  static boolean areAvailable() {
    return Runtime.version().feature() >= FIRST_JDK;
  }

  /**
   * Checks that there are virtual threads.
   *
   * @throws UnsupportedOperationException if the JVM is too old; the message says so
   */
  static void require() {
    if (!areAvailable()) {
      throw new UnsupportedOperationException(unavailable());
    }
  }

  static String unavailable() {
    return "Virtual threads need JDK "
        + FIRST_JDK
        + ", this is "
        + Runtime.version().feature()
        + "; skipped. Run the benchmarks with a newer java";
  }

  /** A new virtual thread for each task. */
  static ExecutorService newExecutor() {
    require();
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("This JVM has no executor of virtual threads", e);
    }
  }
}
