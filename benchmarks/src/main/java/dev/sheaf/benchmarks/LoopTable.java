package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How long the ways to read a page take, nearby and at a distance, as a table in Markdown. */
final class LoopTable {

  /**
   * A row.
   *
   * @param title what it is about
   * @param contender who
   * @param near the question asked nearby, or "" for none
   * @param far the questions asked at a distance
   */
  private record Row(String title, Contender contender, String near, List<String> far) {}

  private static final String NEAR = "many-keys-standalone";
  private static final List<String> FAR = List.of("distant-keys-1000us");
  private static final List<String> DEPENDENT =
      List.of("dependent-1000us", "virtual-dependent-1000us");

  private static final List<Row> ROWS =
      List.of(
          new Row("plain loop", new Contender(Client.LETTUCE, Way.LOOP), NEAR, FAR),
          new Row("`loop(keys)`", new Contender(Client.SHEAF, Way.READ_AHEAD), NEAR, FAR),
          new Row("`getAll(keys)`", new Contender(Client.SHEAF, Way.MANY_KEY_CALL), NEAR, FAR),
          new Row(
              "plain loop, two dependent GETs in the body",
              new Contender(Client.LETTUCE, Way.LOOP),
              "",
              DEPENDENT),
          new Row(
              "`mapEach`, two dependent GETs in the body",
              new Contender(Client.SHEAF, Way.SIDE_BY_SIDE),
              "",
              DEPENDENT));

  private final List<ResultFile.Asked> questions;

  LoopTable(List<ResultFile.Asked> questions) {
    this.questions = questions;
  }

  String markdown() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "loopback", "1 ms round trip"));
    for (Row row : ROWS) {
      rows.add(
          List.of(
              row.title,
              row.near.isEmpty() ? "" : time(row.contender, Stream.of(row.near)),
              time(row.contender, row.far.stream())));
    }
    return Table.markdown(rows);
  }

  private String time(Contender contender, Stream<String> asked) {
    return asked
        .map(
            question ->
                ResultFile.answer(questions, question, contender)
                    .map(answer -> Numbers.micros(answer.score()))
                    .orElse("not measured"))
        .collect(Collectors.joining(" / "));
  }
}
