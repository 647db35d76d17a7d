// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The process of a running client, which is controlled line by line. It ends with this JVM. */
final class ClientProcess implements AutoCloseable {

  /** Allowed beyond the measured time: for connecting, and for a busy machine. */
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(60);

  private static final int STOP_SECONDS = 10;

  private final Process process;
  private final BufferedReader output;
  private final Thread killer;

  private ClientProcess(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Starts a process.
   *
   * @param log for the standard error of the program
   * @throws ComparisonException if it cannot be started
   */
  static ClientProcess start(List<String> command, Path log) {
    try {
      return new ClientProcess(
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start());
    } catch (IOException e) {
      throw new ComparisonException("Cannot start a client: " + e.getMessage(), e);
    }
  }

  /**
   * Executes an order.
   *
   * @return the figures, costs of each operation among them
   * @throws ComparisonException if it failed; the message says why
   */
  Map<String, Double> answer(Order order) {
    long patience = 2 * (order.warmUpMillis() + order.measuredMillis()) + PATIENCE_MILLIS;
    Future<?> end =
        CompletableFuture.runAsync(
            process::destroyForcibly,
            CompletableFuture.delayedExecutor(patience, TimeUnit.MILLISECONDS));
    try {
      write(order.line());
      Map<String, Double> before = Map.of();
      Map<String, Double> after = Map.of();
      String line = read(end, patience);
      while (!line.startsWith(ClientMain.DONE)) {
        if (line.startsWith(ClientMain.FAILED)) {
          throw new ComparisonException(line.substring(ClientMain.FAILED.length()));
        } else if (line.equals(ClientMain.BEGIN)) {
          before = Costs.soFar(process.pid(), order.uri());
          write("go");
        } else if (line.equals(ClientMain.END)) {
          after = Costs.soFar(process.pid(), order.uri());
          write("go");
        }
        line = read(end, patience);
      }
      Map<String, Double> figures = figures(line.substring(ClientMain.DONE.length()));
      Double operations = figures.remove("operations");
      if (operations != null && operations > 0) {
        figures.putAll(Costs.each(before, after, operations));
      }
      return figures;
    } finally {
      end.cancel(false);
    }
  }

  private String read(Future<?> end, long patience) {
    try {
      String line = output.readLine();
      if (line != null) {
        return line;
      }
    } catch (IOException e) {
      // The message below says it.
    }
    throw new ComparisonException(
        end.isDone() ? "no answer within " + patience + " ms" : "its process ended too early");
  }

  /** A process that has ended does not read; reading its output shows that. */
  private void write(String line) {
    try {
      OutputStream input = process.getOutputStream();
      input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      // As said above.
    }
  }

  private static Map<String, Double> figures(String text) {
    Map<String, Double> figures = new LinkedHashMap<>();
    Order.words(text).forEach((name, value) -> figures.put(name, Double.valueOf(value)));
    return figures;
  }

  /** Ends the process and waits for that. */
  @Override
  public void close() {
    Tools.end(process, STOP_SECONDS);
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      // This JVM ends, and the hook runs.
    }
  }
}
