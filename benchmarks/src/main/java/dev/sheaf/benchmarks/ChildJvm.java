package dev.sheaf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A class of this program in a JVM of its own, which is talked to in lines. It ends when its input
 * does, and with this JVM. Not thread-safe, but for {@link #kill}.
 */
final class ChildJvm implements AutoCloseable {

  /** The same heap for all, so that none gains by what the machine has left. */
  private static final List<String> HEAP = List.of("-Xms1g", "-Xmx1g");

  private static final int STOP_SECONDS = 10;

  private final Process process;
  private final BufferedReader output;
  private final Thread killer;

  private ChildJvm(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Starts one.
   *
   * @param home of the JDK
   * @param errors where what it complains of goes
   * @throws ComparisonException if it cannot be started
   */
  static ChildJvm start(Path home, Class<?> main, List<String> arguments, Redirect errors) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin").resolve("java").toString());
    command.addAll(HEAP);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    try {
      return new ChildJvm(new ProcessBuilder(command).redirectError(errors).start());
    } catch (IOException e) {
      throw new ComparisonException("Cannot start a JVM: " + e.getMessage(), e);
    }
  }

  /** The JDK that runs this. */
  static Path ownHome() {
    return Path.of(System.getProperty("java.home"));
  }

  long pid() {
    return process.pid();
  }

  /** The next line it says, or null if there will be none. */
  @Nullable String read() {
    try {
      return output.readLine();
    } catch (IOException e) {
      return null;
    }
  }

  /** Says a line to it; one that has ended does not listen. */
  void write(String line) {
    try {
      OutputStream input = process.getOutputStream();
      input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      // Reading will show it.
    }
  }

  /** Ends it at once. From any thread. */
  void kill() {
    process.destroyForcibly();
  }

  /** Ends it, and waits for that. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      // This JVM ends, and the hook runs.
    }
  }
}
