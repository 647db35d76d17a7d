package dev.sheaf.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;

/**
 * Runs the comparison ({@code compare …}), that of the ways to sum sizes ({@code sizes}), prints
 * the table of algorithms ({@code compression}, with a file to draw the plot into), or, with any
 * other arguments, runs JMH itself.
 */
public final class Main {

  private Main() {}

  /**
   * Runs, and exits with 0, or with 2 if the arguments are wrong, or with 1 if a run failed.
   *
   * @throws Exception whatever JMH throws when it is run by itself
   */
  public static void main(String[] args) throws Exception {
    Quiet.logging();
    if (args.length > 0 && args.length <= 2 && args[0].equals("compression")) {
      CompressionTable.print(System.out, args.length == 2 ? Path.of(args[1]) : null);
      return;
    }
    if (args.length == 1 && args[0].equals("sizes")) {
      System.exit(sizes());
    }
    if (args.length == 0 || !args[0].equals("compare")) {
      org.openjdk.jmh.Main.main(args);
      return;
    }
    System.exit(compare(Arrays.copyOfRange(args, 1, args.length)));
  }

  private static int sizes() {
    try {
      new SizesComparison(System.out).run();
      return 0;
    } catch (ComparisonException e) {
      System.err.println(e.getMessage());
      return 1;
    }
  }

  private static int compare(String[] args) {
    CompareOptions options;
    try {
      options = CompareOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.println();
      System.err.println(CompareOptions.USAGE);
      return 2;
    }
    if (options.help()) {
      System.out.println(CompareOptions.USAGE);
      return 0;
    }
    try {
      new Comparison(options, System.out).run();
      return 0;
    } catch (ComparisonException e) {
      System.err.println(e.getMessage());
      return 1;
    }
  }
}
