package dev.sheaf.benchmarks;

import java.util.List;

/**
 * A ratio that Sheaf means to reach.
 *
 * @param question the name of the question
 * @param contender whose ratio counts
 * @param ratio the smallest ratio that is good enough
 */
record Target(String question, Question.Contender contender, double ratio) {

  /** What Sheaf aims at. */
  static final List<Target> ALL =
      List.of(
          new Target("blocking-standalone-1", new Question.Contender(Client.SHEAF, null), 0.97),
          new Target("blocking-standalone-64", new Question.Contender(Client.SHEAF, null), 2),
          new Target(
              "many-keys-cluster", new Question.Contender(Client.SHEAF, Way.MANY_KEY_CALL), 3));

  /** The verdict in one line of Markdown. */
  String verdict(double reached) {
    return "- "
        + question
        + ", "
        + contender.label()
        + ": at least "
        + Numbers.rounded(ratio)
        + " wanted, "
        + Numbers.rounded(reached)
        + " reached"
        + (reached >= ratio ? "" : ", which is too little");
  }
}
