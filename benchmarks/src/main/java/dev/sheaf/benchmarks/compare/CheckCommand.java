package dev.sheaf.benchmarks.compare;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code check}: holds a result against what Sheaf is meant to reach. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Holds a result against what Sheaf is meant to reach. Exits with 1 if it misses.")
public final class CheckCommand implements Callable<Integer> {

  @Parameters(paramLabel = "FILE", description = "What compare has written.")
  private Path file = Path.of("");

  /** For the parser. */
  public CheckCommand() {}

  @Override
  public Integer call() {
    return Check.print(ResultFile.read(file), System.out) == 0 ? 0 : 1;
  }
}
