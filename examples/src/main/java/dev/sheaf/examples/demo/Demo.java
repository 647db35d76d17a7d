// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.examples.ExampleServer;
import dev.sheaf.examples.demo.Experiment.Measurement;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The demonstration: stores documents and measures how long common tasks with them take, one by one
 * and in batches.
 *
 * <p>{@code ./mvnw -q -Pdemo} runs it on an embedded cluster, {@code -Dredis=URI} on the user's
 * server, where it deletes what it stored and nothing else.
 */
public final class Demo {

  static final int EXIT_WRONG_RESULT = 1;
  static final int EXIT_PROBLEM = 2; // It could not be run; the message gives the reason.
  static final int MASTERS = 3;

  private Demo() {}

  /** Runs the demonstration and ends the JVM with 0, or with 1 or 2 as documented above. */
  public static void main(String[] arguments) {
    // Hides log messages of Lettuce and Netty about connections.
    Logger.getLogger("").setLevel(Level.SEVERE);
    System.exit(run(new Options(), Experiments::all, System.out));
  }

  /** Prints problems as well. Returns the exit code. */
  static int run(
      Options options, Function<Experiments, List<Supplier<Experiment>>> chosen, PrintStream out) {
    try {
      // An earlier report must not be mistaken for this run's.
      Files.deleteIfExists(options.output.resolve("report.html"));
      Files.deleteIfExists(options.output.resolve("report.json"));
      measure(options, chosen, out);
      return 0;
    } catch (AssertionError e) {
      out.println(e.getMessage());
      return EXIT_WRONG_RESULT;
    } catch (RedisException | CompletionException | IllegalArgumentException e) {
      out.println(e.getMessage());
    } catch (IOException e) {
      out.println("Cannot write the report to " + options.output + ": " + e);
    }
    return EXIT_PROBLEM;
  }

  private static void measure(
      Options options, Function<Experiments, List<Supplier<Experiment>>> chosen, PrintStream out)
      throws IOException {
    out.println("Sheaf demo: the same work, one by one and in batches; about a minute");
    try (ExampleServer server = server(options);
        Experiments experiments = new Experiments(options, server)) {
      Runner runner = new Runner(options);
      Map<Experiment, List<Measurement>> measured = new LinkedHashMap<>();
      for (Supplier<Experiment> choice : chosen.apply(experiments)) {
        Experiment experiment = choice.get();
        List<Measurement> ways = runner.run(experiment);
        measured.put(experiment, ways);
        out.print(Report.table(experiment, ways));
      }
      List<String> loops =
          experiments.sheaf.loops().stream()
              .map(
                  l ->
                      "%s called %,d times at %s; getAll would save %,d round trips"
                          .formatted(l.command(), l.calls(), l.callSite(), l.avoidableRoundTrips()))
              .toList();
      Map<String, String> facts = facts(options);
      Report report = new Report(measured, loops, facts);
      facts.forEach((name, fact) -> out.println(name + ": " + fact));
      loops.forEach(loop -> out.println("The loop detector found: " + loop));
      Files.createDirectories(options.output);
      Files.writeString(options.output.resolve("report.html"), report.html());
      Files.writeString(options.output.resolve("report.json"), report.json());
      out.println("Report: " + options.output.resolve("report.html") + " and report.json");
    }
  }

  private static ExampleServer server(Options options) {
    return options.redis.isEmpty()
        ? ExampleServer.behindProxies(
            EmbeddedServer.builder().cluster(MASTERS, 0).start(),
            LatencyProxy.builder().oneWayDelay(options.oneWayDelay))
        : ExampleServer.given(options.redis);
  }

  private static Map<String, String> facts(Options options) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Command", options.command());
    facts.put("Date", Instant.ofEpochSecond(Instant.now().getEpochSecond()).toString());
    facts.put("Server", options.server());
    facts.put("Data", options.documents + " made-up orders as JSON, the same in every run");
    int processors = Runtime.getRuntime().availableProcessors();
    facts.put("Machine", processors + " processors, " + System.getProperty("os.name"));
    facts.put("JDK", Runtime.version().toString());
    facts.put("Lettuce", LettuceVersion.getVersion());
    return facts;
  }
}
