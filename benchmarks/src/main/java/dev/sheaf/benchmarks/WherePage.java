package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link WhereTimeGoes} found, as a page. */
final class WherePage {

  private static final String REFERENCE = "redis-server TCP";
  private static final double PERCENT = 100;

  private final ResultFile found;

  WherePage(ResultFile found) {
    this.found = found;
  }

  String markdown() {
    StringBuilder page =
        new StringBuilder(
            """
            # Where the time of a request goes

            A short request costs its server far more to receive and to answer than to carry out: waking up, reading
            from a socket, writing to it. That share does not depend on what is asked, only on how many requests share
            a wake-up, a read and a write. This is what batching changes, on the server, and once more in every client.

            """);
    page.append(inWords());
    page.append(
        """

        ![Processor time of the server for a GET](where-the-time-goes.svg)

        ## How it is measured

        """);
    page.append(RawLoad.CONNECTIONS)
        .append(
            """
             connections of one client write requests that were encoded before, then read all replies and check
            their lengths. Processor time of the server's process is Linux's own count (`/proc/PID/stat`), medians of the
            rounds. Instructions are those of redis-server; where only callgrind can count them, the system's part is not
            seen, and stands for itself as kernel time and system calls (`strace -c`). "At a time" means so many requests in
            one write (a pipeline); an MGET counts as many requests as it has keys. The embedded server is a JVM with
            1 GB of heap on Java's own sockets; its garbage collector and compiler are in its figures.

            """);
    found
        .environment()
        .forEach(
            (name, fact) -> page.append("- ").append(name).append(": ").append(fact).append('\n'));
    page.append(
        "\nThe figures of each round: [where-the-time-goes.json](where-the-time-goes.json).\n");
    for (String server : List.of("redis-server", "embedded")) {
      page.append("\n## ").append(server.equals("embedded") ? "Embedded server" : server);
      page.append(", for each request\n\n").append(table(server));
    }
    return page.toString();
  }

  private String inWords() {
    Answer alone = answer("get_short-1", REFERENCE);
    Answer pipeline = answer("get_short-16", REFERENCE);
    Answer together = answer("mget_short-1", REFERENCE);
    Answer unix = answer("get_short-1", "redis-server Unix socket");
    if (alone == null || pipeline == null || together == null || unix == null) {
      return "";
    }
    return "On this machine a GET of 100 bytes costs redis-server "
        + Numbers.rounded(alone.score())
        + " us of processor time over TCP, "
        + Numbers.rounded(kernelShare(alone))
        + " % of it in the\nsystem. Sixteen at a time cost "
        + Numbers.rounded(pipeline.score())
        + " us each, a hundred in an MGET "
        + Numbers.rounded(together.score())
        + " us: "
        + Numbers.rounded(alone.score() / together.score())
        + " times less.\nA Unix socket saves less than a batch does: "
        + Numbers.rounded(unix.score())
        + " us alone.\n";
  }

  private String table(String server) {
    List<List<String>> rows = new ArrayList<>();
    boolean counted = server.startsWith("redis");
    List<String> headings =
        new ArrayList<>(List.of("request", "transport", "CPU us", "user", "kernel", "kernel %"));
    if (counted) {
      headings.addAll(List.of("user instructions", "kernel instructions", "system calls"));
    }
    rows.add(headings);
    for (ResultFile.Asked question : found.questions()) {
      for (Answer answer : question.answers()) {
        if (answer.rival().startsWith(server)) {
          rows.add(row(question, answer, counted));
        }
      }
    }
    return Table.markdown(rows);
  }

  private static List<String> row(ResultFile.Asked question, Answer answer, boolean counted) {
    List<String> row = new ArrayList<>();
    row.add(question.text());
    row.add(answer.rival().substring(answer.rival().indexOf(' ') + 1));
    row.add(Numbers.rounded(answer.score()));
    row.add(text(answer.cost(WhereTimeGoes.USER_CPU)));
    row.add(text(answer.cost(WhereTimeGoes.KERNEL_CPU)));
    row.add(Numbers.rounded(kernelShare(answer)));
    if (counted) {
      row.add(text(answer.cost(InstructionCounter.USER)));
      row.add(text(answer.cost(InstructionCounter.KERNEL)));
      row.add(text(answer.cost(WhereTimeGoes.CALLS)));
    }
    return row;
  }

  private static double kernelShare(Answer answer) {
    Double kernel = answer.cost(WhereTimeGoes.KERNEL_CPU);
    Double user = answer.cost(WhereTimeGoes.USER_CPU);
    // The median of a sum is not the sum of medians.
    return kernel == null || user == null ? 0 : PERCENT * kernel / (kernel + user);
  }

  private static String text(@Nullable Double value) {
    return value == null ? "-" : Numbers.rounded(value);
  }

  private @Nullable Answer answer(String question, String rival) {
    return found.questions().stream()
        .filter(asked -> asked.name().equals(question))
        .flatMap(asked -> asked.answers().stream())
        .filter(answer -> answer.rival().equals(rival))
        .findFirst()
        .orElse(null);
  }
}
