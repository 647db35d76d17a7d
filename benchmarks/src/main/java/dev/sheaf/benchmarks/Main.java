package dev.sheaf.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs one of the commands, or, with any other arguments, JMH itself. */
public final class Main {

  private static final String COMMANDS =
      """
      compare [options]            put the questions to the rivals; compare --help says more
      publish docs                 put what compare --targets and --details have left beside the
                                   jar into the pages of docs
      page DIRECTORY NAME FILE…    one page, NAME.md with plots, of one or more results.json
      diff BEFORE AFTER            what changed between two results.json beyond noise
      syscalls [options of compare]  system calls of each client for each GET, by strace
      where [options of compare]   what a request costs a server: where-the-time-goes.md
      sizes                        the ways to sum the sizes of 100,000 sorted sets
      compression [FILE]           the table of compression algorithms, and their plot
      anything else                is handed to JMH; -h says more""";

  /** A command. */
  private interface Command {
    void run(String[] arguments) throws Exception;
  }

  /** What the user typed is not what a command wants; the message says so. */
  private static final class WrongArguments extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WrongArguments(@Nullable String message) {
      super(message);
    }
  }

  private Main() {}

  /**
   * Runs, and exits with 0, or with 2 if the arguments are wrong, or with 1 if a run failed.
   *
   * @throws Exception whatever JMH throws when it is run by itself
   */
  public static void main(String[] args) throws Exception {
    Quiet.logging();
    if (args.length == 0) {
      System.out.println(COMMANDS);
      return;
    }
    Command command = command(args[0]);
    if (command == null) {
      org.openjdk.jmh.Main.main(args);
      return;
    }
    System.exit(run(command, Arrays.copyOfRange(args, 1, args.length)));
  }

  private static @Nullable Command command(String name) {
    return switch (name) {
      case "compare" -> args -> withOptions(args, Main::compare);
      case "publish" -> Main::publish;
      case "syscalls" -> args -> withOptions(args, o -> new SyscallTable(o).run(System.out));
      case "where" ->
          args -> withOptions(args, o -> new WhereTimeGoes(o, o.rounds()).run(System.out));
      case "page" -> Main::page;
      case "diff" -> Main::diff;
      case "sizes" -> args -> new SizesComparison(System.out).run();
      case "compression" ->
          args -> CompressionTable.print(System.out, args.length > 0 ? Path.of(args[0]) : null);
      default -> null;
    };
  }

  private static int run(Command command, String[] args) throws Exception {
    try {
      command.run(args);
      return 0;
    } catch (WrongArguments e) {
      System.err.println(e.getMessage());
      System.err.println();
      System.err.println(COMMANDS);
      return 2;
    } catch (ComparisonException e) {
      System.err.println(e.getMessage());
      return 1;
    }
  }

  private static void withOptions(String[] args, Consumer<CompareOptions> command) {
    CompareOptions options;
    try {
      options = CompareOptions.parse(args);
    } catch (IllegalArgumentException e) {
      throw new WrongArguments(e.getMessage());
    }
    if (options.help()) {
      System.out.println(CompareOptions.USAGE);
    } else {
      command.accept(options);
    }
  }

  private static void compare(CompareOptions options) {
    new Comparison(options, System.out).run();
    if (options.scope() == Scope.DETAILS && options.only().isEmpty()) {
      try {
        new SyscallTable(options).run(System.out);
      } catch (ComparisonException e) {
        System.out.println("Left out: system calls: " + e.getMessage());
      }
      new WhereTimeGoes(options, 1).run(System.out);
    }
  }

  private static void publish(String[] args) {
    if (args.length != 1) {
      throw new WrongArguments("publish needs a directory, but had " + args.length + " words");
    }
    new Publication(Path.of(args[0])).publish(Beside.jar(), System.out);
  }

  private static void page(String[] args) {
    if (args.length < 3) {
      throw new WrongArguments(
          "page needs a directory, a name and at least one file, but had " + args.length);
    }
    List<ResultFile> runs = new ArrayList<>();
    for (String file : Arrays.copyOfRange(args, 2, args.length)) {
      runs.add(ResultFile.read(Path.of(file)));
    }
    new Report(runs).print(Path.of(args[0]), args[1], System.out);
  }

  private static void diff(String[] args) {
    if (args.length != 2) {
      throw new WrongArguments("diff needs two files, but had " + args.length);
    }
    ResultFile before = ResultFile.read(Path.of(args[0]));
    ResultFile after = ResultFile.read(Path.of(args[1]));
    System.out.print(new Difference(before, after).markdown());
  }
}
