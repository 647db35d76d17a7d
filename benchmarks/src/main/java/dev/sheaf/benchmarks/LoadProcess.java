package dev.sheaf.benchmarks;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A {@link GetLoad} that runs, and who talks to it. Not thread-safe. */
final class LoadProcess implements AutoCloseable {

  /** Clients may print lines of their own. */
  private static final Pattern FIGURE = Pattern.compile("([^=]+)=(-?[0-9]+\\.[0-9]+)");

  private final ChildJvm jvm;
  private final Path log;

  private LoadProcess(ChildJvm jvm, Path log) {
    this.jvm = jvm;
    this.log = log;
  }

  /**
   * Starts one and waits until it is warm.
   *
   * @param arguments those of {@link GetLoad#main}
   * @param log the file for what the JVM complains of
   */
  static LoadProcess start(List<String> arguments, Path log) {
    ChildJvm jvm =
        ChildJvm.start(ChildJvm.ownHome(), GetLoad.class, arguments, Redirect.to(log.toFile()));
    LoadProcess load = new LoadProcess(jvm, log);
    load.readUntil("warm");
    return load;
  }

  long pid() {
    return jvm.pid();
  }

  /** Lets it measure, and returns its figures by their names. */
  Map<String, Double> measure() {
    jvm.write("");
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String line : readUntil("done")) {
      Matcher matcher = FIGURE.matcher(line);
      if (matcher.matches()) {
        figures.put(matcher.group(1), Double.valueOf(matcher.group(2)));
      }
    }
    return figures;
  }

  private List<String> readUntil(String last) {
    List<String> lines = new ArrayList<>();
    @Nullable String line = jvm.read();
    while (line != null && !line.equals(last)) {
      lines.add(line);
      line = jvm.read();
    }
    if (line == null) {
      close();
      throw new ComparisonException("The JVM that reads ended too early; see " + log);
    }
    return lines;
  }

  /** Ends the process. */
  @Override
  public void close() {
    jvm.close();
  }
}
