package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.rivals.Client;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What Sheaf is meant to reach, held against what a run found. For maintainers, not for users. */
public final class Check {

  private static final List<Client> JAVA_RIVALS =
      List.of(Client.LETTUCE, Client.JEDIS, Client.REDISSON, Client.GLIDE);
  private static final List<Client> LETTUCE = List.of(Client.LETTUCE);
  private static final List<Client> JEDIS = List.of(Client.JEDIS);

  /**
   * A goal.
   *
   * @param row the name of the row
   * @param own which of the project's clients
   * @param wanted how many times as fast as the fastest of the others
   * @param others the clients it is compared with
   */
  record Goal(String row, Client own, double wanted, List<Client> others) {}

  private static final List<Goal> GOALS = goals();

  private Check() {}

  private static List<Goal> goals() {
    List<Goal> goals = new ArrayList<>();
    for (int threads : new int[] {1, 2, 4, 8, 16}) {
      goals.add(new Goal("get-" + threads, Client.SHEAF, 1, JAVA_RIVALS));
    }
    for (int threads : new int[] {64, 256}) {
      goals.add(new Goal("get-" + threads, Client.SHEAF, 2.2, LETTUCE));
      goals.add(new Goal("get-" + threads, Client.SHEAF_YIELDING, 3, LETTUCE));
    }
    goals.add(new Goal("virtual-64", Client.SHEAF, 3, LETTUCE));
    goals.add(new Goal("virtual-1000", Client.SHEAF, 5, LETTUCE));
    goals.add(new Goal("getall-100", Client.SHEAF, 1, JEDIS));
    goals.add(new Goal("futures-100", Client.SHEAF, 1, JEDIS));
    goals.add(new Goal("cluster-getall-100", Client.SHEAF, 2, JAVA_RIVALS));
    goals.add(new Goal("cluster-64", Client.SHEAF, 2.5, LETTUCE));
    goals.add(new Goal("distant-64", Client.SHEAF, 1.1, LETTUCE));
    goals.add(new Goal("distant-futures-100", Client.SHEAF, 1, JEDIS));
    goals.add(new Goal("large-8", Client.SHEAF, 1, JEDIS));
    goals.add(new Goal("open-50", Client.SHEAF, 1, JAVA_RIVALS));
    return List.copyOf(goals);
  }

  /** Prints each goal that the run has figures for, and returns how many were missed. */
  public static int print(ResultFile result, PrintStream out) {
    List<Goal> goals = new ArrayList<>(GOALS);
    for (ResultFile.Found row : result.rows()) {
      if (row.group().startsWith("busy-")) {
        goals.add(new Goal(row.name(), Client.SHEAF, 1, LETTUCE));
      }
    }
    int missed = 0;
    for (Goal goal : goals) {
      Optional<ResultFile.Found> row = result.row(goal.row);
      Optional<Client> other = row.flatMap(found -> found.best(goal.others));
      Optional<Spread> ratio =
          other.flatMap(client -> row.flatMap(found -> found.ratio(goal.own, client)));
      if (ratio.isEmpty() || other.isEmpty()) {
        continue;
      }
      boolean reached = ratio.get().median() >= goal.wanted;
      missed += reached ? 0 : 1;
      out.printf(
          Locale.ROOT,
          "%-7s %-22s %-16s %5s times %s wanted, %5s found (%s to %s)%n",
          reached ? "reached" : "MISSED",
          goal.row,
          goal.own.title(),
          Numbers.rounded(goal.wanted),
          other.get().title(),
          Numbers.rounded(ratio.get().median()),
          Numbers.rounded(ratio.get().smallest()),
          Numbers.rounded(ratio.get().largest()));
    }
    return missed;
  }
}
