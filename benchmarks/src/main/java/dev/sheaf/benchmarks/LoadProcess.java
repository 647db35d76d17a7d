package dev.sheaf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link GetLoad} that runs, and who talks to it. Not thread-safe. */
final class LoadProcess implements AutoCloseable {

  private static final int STOP_SECONDS = 10;

  /** Clients may print lines of their own. */
  private static final Pattern FIGURE = Pattern.compile("([^=]+)=(-?[0-9]+\\.[0-9]+)");

  private final Process process;
  private final BufferedReader output;
  private final Path log;

  private LoadProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Starts one and waits until it is warm.
   *
   * @param arguments those of {@link GetLoad#main}
   * @param log the file for what the JVM complains of
   */
  static LoadProcess start(List<String> arguments, Path log) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(JmhRun.JVM_ARGUMENTS));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), GetLoad.class.getName()));
    command.addAll(arguments);
    try {
      Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      LoadProcess load = new LoadProcess(process, log);
      load.readUntil("warm");
      return load;
    } catch (IOException e) {
      throw new ComparisonException("Cannot start a JVM that reads: " + e.getMessage(), e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Lets it measure, and returns its figures by their names. */
  Map<String, Double> measure() {
    nextStep();
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String line : readUntil("done")) {
      Matcher matcher = FIGURE.matcher(line);
      if (matcher.matches()) {
        figures.put(matcher.group(1), Double.valueOf(matcher.group(2)));
      }
    }
    return figures;
  }

  private void nextStep() {
    try {
      OutputStream input = process.getOutputStream();
      input.write('\n');
      input.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private List<String> readUntil(String last) {
    List<String> lines = new ArrayList<>();
    try {
      String line = output.readLine();
      while (line != null && !line.equals(last)) {
        lines.add(line);
        line = output.readLine();
      }
      if (line != null) {
        return lines;
      }
    } catch (IOException e) {
      throw failed(e);
    }
    close();
    throw new ComparisonException("The JVM that reads ended too early; see " + log);
  }

  private ComparisonException failed(IOException cause) {
    close();
    return new ComparisonException("The JVM that reads cannot be talked to; see " + log, cause);
  }

  /** Ends the process. */
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
  }
}
