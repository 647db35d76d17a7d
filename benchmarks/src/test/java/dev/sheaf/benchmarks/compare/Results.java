// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.rivals.Client;
import java.util.List;
import java.util.Map;

/** Results for tests. */
final class Results {

  private Results() {}

  /** A file with one row, and scores of Lettuce, Jedis and Sheaf. */
  static ResultFile file(
      String date, String row, List<Double> lettuce, List<Double> jedis, List<Double> sheaf) {
    Row asked = Row.selected(Row.all(2), List.of(row)).get(0);
    ResultFile.Found found = ResultFile.Found.of(asked);
    Map.of(Client.LETTUCE, lettuce, Client.JEDIS, jedis, Client.SHEAF, sheaf)
        .forEach(
            (client, scores) ->
                scores.forEach(
                    score ->
                        found.add(client, Map.of("score", score, Costs.CLIENT_CPU, score / 10))));
    return new ResultFile(Map.of("Date", date, "Commit", "c" + date), List.of(found));
  }
}
