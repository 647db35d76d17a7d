package dev.sheaf.benchmarks;

import dev.sheaf.benchmarks.compare.CheckCommand;
import dev.sheaf.benchmarks.compare.CompareCommand;
import dev.sheaf.benchmarks.compare.PublishCommand;
import dev.sheaf.benchmarks.jmh.CompressionTable;
import dev.sheaf.benchmarks.latency.SizesComparison;
import dev.sheaf.benchmarks.servers.Quiet;
import java.util.Arrays;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Runs one of the commands, or, with any other arguments, JMH itself. */
@Command(
    name = "benchmarks.jar",
    mixinStandardHelpOptions = true,
    subcommands = {CompareCommand.class, CheckCommand.class, PublishCommand.class},
    footer = "Any other first word is handed to JMH; jmh -h says more.")
public final class Main {

  private static final Set<String> COMMANDS = Set.of("-h", "--help");

  private Main() {}

  /**
   * Runs, and exits with 0, or with 2 if the arguments are wrong, or with 1 if a run failed.
   *
   * @throws Exception whatever JMH throws when it is run by itself
   */
  public static void main(String[] args) throws Exception {
    Quiet.logging();
    CommandLine commands = new CommandLine(new Main());
    commands.setCaseInsensitiveEnumValuesAllowed(true);
    boolean known =
        args.length == 0
            || COMMANDS.contains(args[0])
            || commands.getSubcommands().containsKey(args[0]);
    if (known) {
      System.exit(commands.execute(args.length == 0 ? new String[] {"--help"} : args));
    }
    boolean named = args[0].equals("jmh");
    org.openjdk.jmh.Main.main(named ? Arrays.copyOfRange(args, 1, args.length) : args);
  }

  /** Prints the ways to sum the sizes of 100,000 sorted sets. */
  @Command(name = "sizes", description = "The ways to sum the sizes of 100,000 sorted sets.")
  int sizes() {
    new SizesComparison(System.out).run();
    return 0;
  }

  /** Prints a table of compression algorithms. */
  @Command(
      name = "compression",
      description = "A table of compression algorithms; documents: -Dsheaf.documents=DIRECTORY.")
  int compression() {
    CompressionTable.print(System.out);
    return 0;
  }
}
