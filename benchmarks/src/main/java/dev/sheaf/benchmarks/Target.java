package dev.sheaf.benchmarks;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What Sheaf means to reach.
 *
 * @param question the name of the question
 * @param rival whose figure counts
 * @param reference the rival it is compared with, or null if the figure counts by itself
 * @param wanted how many times as fast as the reference it should be; without a reference, how many
 *     microseconds it may take
 */
record Target(String question, String rival, @Nullable String reference, double wanted) {

  private static final String SHEAF = "SHEAF";
  private static final String LETTUCE = "LETTUCE";
  private static final String GET_ALL = "SHEAF MANY_KEY_CALL";

  /** What Sheaf aims at. */
  static final List<Target> ALL =
      List.of(
          new Target("blocking-standalone-1", SHEAF, LETTUCE, 0.98),
          new Target("blocking-standalone-2", SHEAF, LETTUCE, 0.98),
          new Target("blocking-standalone-8", SHEAF, LETTUCE, 0.98),
          new Target("blocking-standalone-64", SHEAF, LETTUCE, 2.7),
          new Target("blocking-standalone-256", SHEAF, LETTUCE, 4),
          new Target("virtual-64", SHEAF, LETTUCE, 4),
          new Target("virtual-1000", SHEAF, LETTUCE, 4),
          new Target("blocking-cluster-64", SHEAF, LETTUCE, 3.3),
          new Target("many-keys-standalone", GET_ALL, "JEDIS MANY_KEY_CALL", 1),
          new Target("many-keys-standalone", "SHEAF FUTURES", "JEDIS PIPELINE", 1),
          new Target("many-keys-standalone", "SHEAF READ_AHEAD", GET_ALL, 1 / 1.2),
          new Target("many-keys-cluster", GET_ALL, null, 150),
          new Target("distant-keys-1200us", "SHEAF FUTURES", null, 1_300),
          new Target("distant-blocking-64", SHEAF, LETTUCE, 1.15),
          new Target("distant-keys-1000us", "SHEAF READ_AHEAD", "LETTUCE LOOP", 50),
          new Target("dependent-1000us", "SHEAF SIDE_BY_SIDE", null, 3_500));

  /** The verdict in one line of Markdown, or nothing if the answers do not allow one. */
  Optional<String> verdict(List<Answer> answers) {
    Optional<Answer> own = find(answers, rival);
    if (own.isEmpty()) {
      return Optional.empty();
    }
    if (reference == null) {
      double micros = own.get().score();
      return Optional.of(
          line("at most " + Numbers.rounded(wanted) + " us", micros, micros <= wanted));
    }
    Optional<Answer> other = find(answers, reference);
    return other.map(
        answer -> {
          double speed = own.get().speedOver(answer);
          String goal = "at least " + Numbers.rounded(wanted) + " times " + reference;
          return line(goal, speed, speed >= wanted);
        });
  }

  private static Optional<Answer> find(List<Answer> answers, String rival) {
    return answers.stream().filter(answer -> answer.rival().equals(rival)).findFirst();
  }

  private String line(String goal, double reached, boolean enough) {
    return "- "
        + question
        + ", "
        + rival
        + ": "
        + goal
        + " wanted, "
        + Numbers.rounded(reached)
        + (enough ? " reached" : " reached: **missed**");
  }
}
