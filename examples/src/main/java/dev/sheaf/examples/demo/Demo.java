package dev.sheaf.examples.demo;

import dev.sheaf.Sheaf;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The main job: stores real documents on a cluster and measures how long common work with them
 * takes, the naive way and in batches.
 *
 * <p>{@code ./mvnw -q -Pdemo} runs it on an embedded cluster, {@code -Dredis=URI} on a server of
 * the user's, where it deletes what it stored and nothing else.
 */
public final class Demo {

  /** A way gave a wrong result. */
  static final int EXIT_WRONG_RESULT = 1;

  /** The demonstration could not be run; the message says why. */
  static final int EXIT_PROBLEM = 2;

  private final DemoOptions options;
  private final ExperimentPlan plan;
  private final Progress progress;

  private Demo(DemoOptions options, ExperimentPlan plan, Progress progress) {
    this.options = options;
    this.plan = plan;
    this.progress = progress;
  }

  /** Runs the demonstration and ends the JVM: 0, or {@code 1} and {@code 2} as described there. */
  public static void main(String[] arguments) {
    silenceLibraries();
    DemoOptions options = DemoOptions.of(System.getProperties());
    System.exit(run(options, options, System.out));
  }

  /** Runs the demonstration. Problems are printed; returns the exit code. */
  static int run(DemoOptions options, ExperimentPlan plan, PrintStream out) {
    try (Progress progress = new Progress(out)) {
      try {
        new Demo(options, plan, progress).run();
        return 0;
      } catch (WrongResultException e) {
        progress.say(String.valueOf(e.getMessage()));
        return EXIT_WRONG_RESULT;
      } catch (DemoException e) {
        progress.say(String.valueOf(e.getMessage()));
        return EXIT_PROBLEM;
      }
    }
  }

  private void run() {
    progress.say("Sheaf demo: the same work, the naive way and in batches");
    deleteFormerReports();
    Documents documents =
        new DocumentLoader(options.repository(), options.shownRepository(), progress)
            .load(plan.minKeys());
    progress.say("  " + documents.inWords() + "; left out: " + documents.skipped());
    try (TargetServer server = connect()) {
      progress.say("Server: " + server.description());
      progress.doing("connecting the clients");
      try (Clients clients = Clients.connect(server.uri())) {
        measure(documents, server, clients);
      }
    }
  }

  private TargetServer connect() {
    if (options.ownServer()) {
      progress.doing("connecting to " + DemoOptions.withoutPassword(options.redis()));
      return GivenTarget.connect(options.redis(), options.keyPrefix());
    }
    progress.doing("starting a cluster");
    return EmbeddedTarget.start(options.oneWayDelay());
  }

  private void measure(Documents documents, TargetServer server, Clients clients) {
    progress.doing("storing " + Figures.count(documents.stored().size()) + " documents");
    try (StoredKeys stored =
        StoredKeys.store(clients.sheaf(), documents, server.keyPrefix(), progress)) {
      progress.say("Stored " + Figures.count(stored.count()) + " documents");
      ExperimentRunner runner = new ExperimentRunner(server, clients, options.budget(), progress);
      Map<String, String> descriptions = new LinkedHashMap<>();
      List<Measurement> measurements = new ArrayList<>();
      for (Experiment experiment : plan.experiments(documents, server)) {
        descriptions.put(experiment.name(), experiment.description());
        measurements.addAll(runner.run(experiment));
      }
      report(
          new Report(
              descriptions,
              List.copyOf(measurements),
              documents,
              loops(clients.sheaf()),
              server.countsExplained(),
              facts(server, documents)));
    } catch (RedisException e) {
      throw new DemoException("The server failed during the measurement: " + e.getMessage(), e);
    }
  }

  private static List<String> loops(Sheaf<String, String> sheaf) {
    return sheaf.loops().stream()
        .map(
            loop ->
                loop.command()
                    + " called "
                    + Figures.count(loop.calls())
                    + " times, one after the other, at "
                    + loop.callSite()
                    + "; loop(keys) or getAll would save "
                    + Figures.count(loop.avoidableRoundTrips())
                    + " round trips")
        .toList();
  }

  private Map<String, String> facts(TargetServer server, Documents documents) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Command", options.command());
    facts.put("Server", server.description());
    facts.put("Data", documents.source());
    facts.put("Documents", documents.inWords());
    facts.put("Left out", documents.skipped().toString());
    facts.put("Stored", documents.storedInWords());
    facts.putAll(Environment.describe());
    return facts;
  }

  private void report(Report report) {
    progress.say("");
    progress.say(ConsoleTable.of(report.measurements()));
    progress.say(report.countsExplained());
    if (!report.loops().isEmpty()) {
      progress.say("Loops that Sheaf's detector found meanwhile:");
      report.loops().forEach(loop -> progress.say("  " + loop));
    }
    Path html = options.output().resolve("report.html");
    Path json = options.output().resolve("report.json");
    try {
      Files.createDirectories(options.output());
      Files.writeString(html, HtmlReport.of(report));
      Files.writeString(json, JsonReport.of(report.measurements()));
    } catch (IOException e) {
      throw new DemoException("Cannot write the report to " + options.output() + ": " + e, e);
    }
    progress.say("Report: " + html + " (and report.json beside it)");
  }

  /** A report of an earlier run must not pass for one of this. */
  private void deleteFormerReports() {
    try {
      Files.deleteIfExists(options.output().resolve("report.html"));
      Files.deleteIfExists(options.output().resolve("report.json"));
    } catch (IOException e) {
      throw new DemoException("Cannot delete the former report: " + e, e);
    }
  }

  /** What Lettuce and Netty log about connections is no part of a demonstration. */
  private static void silenceLibraries() {
    Logger root = Logger.getLogger("");
    root.setLevel(Level.SEVERE);
    for (var handler : root.getHandlers()) {
      handler.setLevel(Level.SEVERE);
    }
  }
}
