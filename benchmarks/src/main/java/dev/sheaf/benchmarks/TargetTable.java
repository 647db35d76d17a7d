package dev.sheaf.benchmarks;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What Sheaf is meant to reach, and what it reached, as a table in Markdown. */
final class TargetTable {

  private static final String NOTHING = "";
  private static final DecimalFormat WANTED =
      new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT));
  private static final double PERCENT = 100;
  private static final double THOUSAND = 1_000;

  private final List<ResultFile.Asked> questions;

  /** Of these questions; where one was asked more than once, the last counts. */
  TargetTable(List<ResultFile.Asked> questions) {
    this.questions = questions;
  }

  /** All targets, those that were not measured, too. */
  String markdown() {
    return markdown(Target.ALL);
  }

  /** The targets whose question was asked; empty if there are none. */
  String markdownOfAsked() {
    List<Target> asked =
        Target.ALL.stream().filter(target -> answer(target, target.own()).isPresent()).toList();
    return asked.isEmpty() ? "" : markdown(asked);
  }

  private String markdown(List<Target> targets) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "Work",
            "Sheaf",
            "Compared with",
            "Wanted",
            "Reached (median, range of rounds)",
            "Enough",
            "Others"));
    targets.forEach(target -> rows.add(row(target)));
    return Table.markdown(rows);
  }

  private List<String> row(Target target) {
    Optional<Answer> own = answer(target, target.own());
    String others =
        target.beside().stream()
            .flatMap(
                other ->
                    answer(target, other).stream()
                        .map(answer -> other.title() + " " + amount(answer)))
            .collect(Collectors.joining(", "));
    Contender reference = target.reference();
    if (reference == null) {
      String wanted = "≤ " + Numbers.micros(target.wanted());
      return own.map(answer -> absolute(target, answer, wanted, others))
          .orElseGet(() -> unmeasured(target, NOTHING, wanted, others));
    }
    String wanted = "≥ " + WANTED.format(target.wanted()) + "×";
    Optional<Answer> other = answer(target, reference);
    if (own.isEmpty() || other.isEmpty()) {
      String there = reference.title() + other.map(answer -> " " + amount(answer)).orElse("");
      return unmeasured(target, there, wanted, others);
    }
    double reached = own.get().speedOver(other.get());
    List<Double> rounds = own.get().speedsOver(other.get());
    return List.of(
        target.work(),
        amount(own.get()),
        reference.title() + " " + amount(other.get()),
        wanted,
        range(times(reached), rounds, false),
        enough(reached >= target.wanted(), (1 - reached / target.wanted()), "short"),
        others);
  }

  private static List<String> absolute(Target target, Answer own, String wanted, String others) {
    double reached = own.score();
    return List.of(
        target.work(),
        amount(own),
        NOTHING,
        wanted,
        range(Numbers.micros(reached), own.scores(), true),
        enough(reached <= target.wanted(), reached / target.wanted() - 1, "over"),
        others);
  }

  private static List<String> unmeasured(
      Target target, String reference, String wanted, String others) {
    return List.of(target.work(), NOTHING, reference, wanted, "not measured", NOTHING, others);
  }

  private static String range(String median, List<Double> rounds, boolean time) {
    if (rounds.size() < 2) {
      return median + " (one round)";
    }
    double least = Numbers.smallest(rounds);
    double most = Numbers.largest(rounds);
    return median
        + " ("
        + (time ? Numbers.micros(least) : Numbers.rounded(least))
        + " to "
        + (time ? Numbers.micros(most) : Numbers.rounded(most))
        + ")";
  }

  private static String enough(boolean yes, double missing, String how) {
    if (yes) {
      return "yes";
    }
    long percent = Math.round(missing * PERCENT);
    return "**no**, " + (percent == 0 ? "less than 1" : percent) + " % " + how;
  }

  private static String times(double ratio) {
    return Numbers.rounded(ratio) + "×";
  }

  private static String amount(Answer answer) {
    return answer.higherIsBetter() ? rate(answer.score()) : Numbers.micros(answer.score());
  }

  private static String rate(double perSecond) {
    return perSecond < THOUSAND
        ? Numbers.rounded(perSecond) + "/s"
        : Math.round(perSecond / THOUSAND) + "k/s";
  }

  private Optional<Answer> answer(Target target, Contender contender) {
    return ResultFile.answer(questions, target.question(), contender);
  }
}
