// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.Tools;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command {@code compare}: measures rows with all clients. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description =
        "Measures rows with all clients. Servers are started for it; to use others, set"
            + " -Dredis.uri=redis://host:port and -Dredis.cluster.uri=redis://host:port before"
            + " -jar.")
public final class CompareCommand implements Callable<Integer> {

  private static final int MAX_ROUNDS = 100;
  private static final double TRIAL = 0.02;
  private static final int WARM_UP_SECONDS = 10;
  private static final int MAX_WARM_UP_SECONDS = 600;

  /** The sources of the Go program, relative to the project. */
  private static final Path GO = Path.of("benchmarks", "go");

  private static final String CHECK = "benchmarks/pages.py";

  @Option(
      names = "--rows",
      split = ",",
      paramLabel = "A,B",
      description =
          "Groups or rows: gets, writes, virtual, pages, cluster, distant, large, open-rate, open, busy,"
              + " loops, pings, or names such as get-64. All by default.")
  private List<String> rows = new ArrayList<>();

  @Option(
      names = "--clients",
      split = ",",
      paramLabel = "A,B",
      description = "Of ${COMPLETION-CANDIDATES}. All by default.")
  private List<Client> clients = new ArrayList<>(List.of(Client.values()));

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each client measures each row. Default: ${DEFAULT-VALUE}")
  private int rounds = 5;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      description =
          "How long each client does each kind of work before its first row. Default:"
              + " ${DEFAULT-VALUE}")
  private int warmUp = WARM_UP_SECONDS;

  @Option(
      names = "--jdk",
      paramLabel = "DIRECTORY",
      description =
          "The JDK that runs the clients, 21 or newer for virtual threads. By default the one that"
              + " runs this.")
  private Path jdk = Programs.ownJdk();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where the result goes. Default: ${DEFAULT-VALUE}")
  private Path out = Path.of("benchmarks", "target", "comparison.json");

  @Option(
      names = "--trial",
      description = "Fiftieths of seconds for seconds: to see that all works. No figures.")
  private boolean trial;

  /** Keeps the option parser working. */
  public CompareCommand() {}

  @Override
  public Integer call() {
    Comparison.Plan plan;
    try {
      plan = plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(new CommandLine(this), e.getMessage(), e);
    }
    new Comparison(plan, System.out).run(out);
    System.out.println();
    if (!Tools.show("python3", CHECK, "check", out.toString())) {
      System.out.println("Not held against what Sheaf is meant to reach: no python3 on the PATH");
    }
    System.out.println("Written: " + out);
    return 0;
  }

  /**
   * Parses the options.
   *
   * @throws IllegalArgumentException if one is invalid; the message names it and the allowed values
   */
  Comparison.Plan plan() {
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw new IllegalArgumentException(
          "--rounds must be a number from 1 to " + MAX_ROUNDS + ", but was " + rounds);
    }
    if (warmUp < 1 || warmUp > MAX_WARM_UP_SECONDS) {
      throw new IllegalArgumentException(
          "--warm-up must be from 1 to " + MAX_WARM_UP_SECONDS + " seconds, but was " + warmUp);
    }
    Path parent = out.toAbsolutePath().getParent();
    Path folder = parent == null ? Path.of("") : parent;
    Programs programs = new Programs(jdk, GO, folder);
    if (programs.feature() == 0) {
      throw new IllegalArgumentException(
          "--jdk must be the directory of a JDK, but " + jdk + " has no bin/java or no release");
    }
    List<Row> selected = Row.selected(Row.all(Runtime.getRuntime().availableProcessors()), rows);
    if (!programs.hasVirtualThreads()) {
      if (rows.contains("virtual")) {
        throw new IllegalArgumentException(
            "Virtual threads need JDK 21, but the clients run on "
                + programs.feature()
                + "; name a newer one by --jdk");
      }
      selected = selected.stream().filter(row -> !row.order().virtual()).toList();
    }
    return new Comparison.Plan(
        selected,
        List.copyOf(clients),
        rounds,
        warmUp * 1_000L,
        trial ? TRIAL : 1,
        programs,
        folder,
        command());
  }

  /** Returns the command that repeats the run. */
  private String command() {
    List<String> words = new ArrayList<>();
    words.add("java -jar benchmarks/target/benchmarks.jar compare --rounds " + rounds);
    if (!rows.isEmpty()) {
      words.add("--rows " + String.join(",", rows));
    }
    if (!clients.equals(Arrays.asList(Client.values()))) {
      words.add("--clients " + clients.stream().map(Client::name).collect(Collectors.joining(",")));
    }
    if (warmUp != WARM_UP_SECONDS) {
      words.add("--warm-up " + warmUp);
    }
    if (!jdk.equals(Programs.ownJdk())) {
      // The JDK's path is private; its version is reported beside the command.
      words.add("--jdk DIRECTORY");
    }
    return String.join(" ", words);
  }
}
