// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks;

import dev.sheaf.benchmarks.compare.CompareCommand;
import dev.sheaf.benchmarks.jmh.Compression;
import dev.sheaf.benchmarks.jmh.DictionaryTable;
import dev.sheaf.benchmarks.latency.LearnedLoopsComparison;
import dev.sheaf.benchmarks.latency.SizesComparison;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.Quiet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one of the commands, or JMH with any other arguments. */
@Command(
    name = "benchmarks.jar",
    mixinStandardHelpOptions = true,
    subcommands = CompareCommand.class,
    footer = "Any other first word is handed to JMH; jmh -h says more.")
public final class Main {

  private Main() {}

  /**
   * Runs, and exits with 0; with 2 if the arguments are invalid, or 1 if a run failed.
   *
   * @throws Exception from JMH
   */
  public static void main(String[] args) throws Exception {
    Quiet.logging();
    CommandLine commands = new CommandLine(new Main());
    commands.setCaseInsensitiveEnumValuesAllowed(true);
    commands.setExecutionExceptionHandler(Main::explain);
    boolean known =
        args.length == 0
            || args[0].matches("-h|--help")
            || commands.getSubcommands().containsKey(args[0]);
    if (known) {
      System.exit(commands.execute(args.length == 0 ? new String[] {"--help"} : args));
    }
    boolean named = args[0].equals("jmh");
    org.openjdk.jmh.Main.main(named ? Arrays.copyOfRange(args, 1, args.length) : args);
  }

  /** Reports why a comparison failed in one line. */
  private static int explain(Exception thrown, CommandLine command, CommandLine.ParseResult line)
      throws Exception {
    if (thrown instanceof ComparisonException) {
      System.err.println(thrown.getMessage());
      return 1;
    }
    throw thrown;
  }

  /** Prints the times of the alternatives that sum the sizes of 100,000 sorted sets. */
  @Command(name = "sizes", description = "The ways to sum the sizes of 100,000 sorted sets.")
  int sizes() {
    new SizesComparison(System.out).run();
    return 0;
  }

  /** Prints the times of an unchanged loop. */
  @Command(name = "loops", description = "A loop that nobody changed, learned and not.")
  int loops() {
    new LearnedLoopsComparison(System.out).run();
    return 0;
  }

  /** Prints a table of compression algorithms. */
  @Command(
      name = "compression",
      description = "A table of compression algorithms; documents: -Dsheaf.documents=DIRECTORY.")
  int compression() {
    Compression.print(System.out);
    return 0;
  }

  /** Prints tables of small values with trained dictionaries. */
  @Command(
      name = "dictionaries",
      description =
          "Tables of small values with trained dictionaries; records: -Dsheaf.poms=DIRECTORY.")
  int dictionaries(
      @Option(
              names = "--parts",
              split = ",",
              defaultValue = "shares,adversaries",
              description = "Some of ${COMPLETION-CANDIDATES}; all by default.")
          EnumSet<Part> parts,
      @Option(
              names = "--shares",
              paramLabel = "FILE",
              description = "Where to write the shares by size of value, for the chart.")
          @Nullable Path shares)
      throws IOException {
    if (parts.contains(Part.SHARES)) {
      DictionaryTable.shares(shares, System.out);
    }
    if (parts.contains(Part.ADVERSARIES)) {
      DictionaryTable.adversaries(System.out);
    }
    return 0;
  }

  /** The measurements of dictionaries. */
  enum Part {
    /** Stored sizes, without times. */
    SHARES,
    /** The cost of values that nothing can compress. */
    ADVERSARIES
  }
}
