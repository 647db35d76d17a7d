package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.ComparisonException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code publish}: puts results into the pages. */
@Command(
    name = "publish",
    mixinStandardHelpOptions = true,
    description = "Puts results into the pages; benchmarks/publish does it with the charts.")
public final class PublishCommand implements Callable<Integer> {

  @Parameters(index = "0", paramLabel = "DOCS", description = "The folder of the documentation.")
  private Path docs = Path.of("docs");

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      description = "What compare has written; none to make the pages anew.")
  private List<Path> files = new ArrayList<>();

  /** For the parser. */
  public PublishCommand() {}

  @Override
  public Integer call() {
    try {
      new Publication(docs).publish(files, System.out);
      return 0;
    } catch (ComparisonException e) {
      System.err.println(e.getMessage());
      return 1;
    }
  }
}
