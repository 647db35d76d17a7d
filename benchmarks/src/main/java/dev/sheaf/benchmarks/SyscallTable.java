package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a client asks of the operating system for each GET, by strace. Being traced makes a client
 * several times slower, which changes how its batches form; so this shows kinds and proportions,
 * and {@link Cost#CLIENT_WRITES} of an untraced run is the better count of writes.
 */
final class SyscallTable {

  private static final int WARM_UP_SECONDS = 6;
  private static final int SECONDS = 4;
  private static final int THREADS = 64;

  private static final List<String> SHOWN =
      List.of("write", "read", "epoll_wait", "futex", "sched_yield", "poll", "sendto", "recvfrom");

  private final CompareOptions options;

  SyscallTable(CompareOptions options) {
    this.options = options;
  }

  /**
   * Runs, and writes {@code syscalls.md}.
   *
   * @throws ComparisonException if strace cannot be used, or a run fails
   */
  void run(PrintStream console) {
    if (!Strace.isInstalled()) {
      throw new ComparisonException("strace is not on the PATH; install it, or count writes only");
    }
    Path directory = directory();
    Environment environment = Environment.observe();
    List<List<String>> rows = new ArrayList<>();
    List<String> headings = new ArrayList<>(List.of("rival", "GETs traced", "all calls"));
    headings.addAll(SHOWN);
    rows.add(headings);
    try (Servers servers = Servers.open(ServerKind.STANDALONE)) {
      for (Client client : options.clients()) {
        if (client.runsHere() && isWanted(client)) {
          rows.add(row(client, servers.uri(), directory));
          console.println(rows.get(rows.size() - 1));
        }
      }
    }
    StringBuilder page = new StringBuilder("# System calls of a client for each GET\n\n");
    page.append(THREADS)
        .append(
            """
             threads of blocking GETs, one redis-server, counted by `strace -c -f`. A traced client
            is several times slower, and its batches form differently: read this for kinds and
            proportions. Untraced counts of writes are in [results.md](results.md).

            """);
    environment
        .facts()
        .forEach(
            (name, fact) -> page.append("- ").append(name).append(": ").append(fact).append('\n'));
    page.append("- Command: java -jar benchmarks/target/benchmarks.jar syscalls\n\n");
    page.append(Table.markdown(rows));
    try {
      Path file = directory.resolve("syscalls.md");
      Files.writeString(file, page);
      console.println("Written to " + file);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the results: " + e.getMessage(), e);
    }
  }

  private Path directory() {
    try {
      return Files.createDirectories(options.out());
    } catch (IOException e) {
      throw new ComparisonException("Cannot make the directory " + options.out() + ": " + e, e);
    }
  }

  private boolean isWanted(Client client) {
    return options.scope() != Scope.DETAILS || Question.DETAILED.contains(client);
  }

  private static List<String> row(Client client, String uri, Path directory) {
    List<String> arguments =
        List.of(
            client.name(),
            ServerKind.STANDALONE.name(),
            uri,
            Integer.toString(THREADS),
            "0",
            Integer.toString(WARM_UP_SECONDS),
            Integer.toString(SECONDS));
    Path log = directory.resolve("syscalls-" + client + ".log");
    try (LoadProcess load = LoadProcess.start(arguments, log)) {
      Strace strace = Strace.attach(load.pid());
      double reads;
      Map<String, Long> calls;
      try {
        reads = load.measure().getOrDefault("reads", 1.0);
      } finally {
        calls = strace.detach();
      }
      List<String> row = new ArrayList<>(List.of(client.name(), Numbers.rounded(reads)));
      long all = calls.values().stream().mapToLong(Long::longValue).sum();
      row.add(Numbers.rounded(all / reads));
      SHOWN.forEach(name -> row.add(Numbers.rounded(calls.getOrDefault(name, 0L) / reads)));
      return row;
    }
  }
}
