package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Virtual threads of a JVM that has them; this code is compiled for one that has none. */
final class VirtualThreads {

  private static final int FIRST_JDK = 21;

  private VirtualThreads() {}

  static boolean areAvailable() {
    return Runtime.version().feature() >= FIRST_JDK;
  }

  /** Whether a JDK has them. */
  static boolean areAvailable(Path home) {
    return home.equals(ChildJvm.ownHome()) ? areAvailable() : feature(home) >= FIRST_JDK;
  }

  /**
   * Checks the home of a JDK.
   *
   * @param option what named it
   * @throws IllegalArgumentException if it is none, or too old; the message says so
   */
  static Path jdk(String option, Path home) {
    int feature = feature(home);
    if (feature < FIRST_JDK) {
      throw new IllegalArgumentException(
          option
              + " must be the directory of a JDK, "
              + FIRST_JDK
              + " or newer, but was "
              + home
              + (feature == 0
                  ? ", which has no bin/java or no file named release"
                  : ", " + feature));
    }
    return home;
  }

  /** Which JVM a JDK is, in its own words. */
  static String version(Path home) {
    Properties release = release(home);
    return (unquoted(release, "IMPLEMENTOR") + " " + unquoted(release, "JAVA_RUNTIME_VERSION"))
        .strip();
  }

  /** The number of its release, 0 for what is no JDK. */
  private static int feature(Path home) {
    if (!Files.isExecutable(home.resolve("bin").resolve("java"))) {
      return 0;
    }
    String version = unquoted(release(home), "JAVA_VERSION");
    return version.isEmpty() ? 0 : Runtime.Version.parse(version).feature();
  }

  /** What a JDK says of itself, without having to be started. */
  private static Properties release(Path home) {
    Properties release = new Properties();
    try (Reader file = Files.newBufferedReader(home.resolve("release"))) {
      release.load(file);
    } catch (IOException e) {
      // Then nothing is known of it, and the caller says so.
    }
    return release;
  }

  private static String unquoted(Properties release, String name) {
    return release.getProperty(name, "").replace("\"", "");
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
        + "; skipped. Run the benchmarks with a newer java, or name one by --virtual-jdk";
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
