package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What changed from one file of results to another, beyond noise.
 *
 * <p>Speeds are compared as ratios to the reference of the same file, because the machine may have
 * been slower altogether. A speed has changed if its rounds lie apart from those of the other file,
 * without overlap, and its medians by at least {@value #LEAST_SPEED} of themselves; with fewer than
 * {@value #LEAST_ROUNDS} rounds on a side nothing is said to have changed. A cost has changed under
 * the same conditions, by at least {@value #LEAST_COST}.
 */
final class Difference {

  static final double LEAST_SPEED = 0.05;
  static final double LEAST_COST = 0.1;
  static final int LEAST_ROUNDS = 2;

  private final List<List<String>> rows = new ArrayList<>();
  private int compared;

  Difference(ResultFile before, ResultFile after) {
    rows.add(List.of("question", "rival", "figure", "before", "after", "change", "verdict"));
    Map<String, ResultFile.Asked> earlier = byName(before);
    for (ResultFile.Asked question : after.questions()) {
      ResultFile.Asked same = earlier.get(question.name());
      if (same != null) {
        compare(same, question);
      }
    }
  }

  /** The changes as a table, and how much was compared. */
  String markdown() {
    String count = compared + (compared == 1 ? " answer" : " answers") + " in both files; ";
    int changes = rows.size() - 1;
    if (changes == 0) {
      return count + "nothing changed beyond noise\n";
    }
    return count
        + changes
        + (changes == 1 ? " figure" : " figures")
        + " changed beyond noise\n\n"
        + Table.markdown(rows);
  }

  private static Map<String, ResultFile.Asked> byName(ResultFile file) {
    Map<String, ResultFile.Asked> questions = new LinkedHashMap<>();
    Report.merged(List.of(file)).forEach(asked -> questions.put(asked.name(), asked));
    return questions;
  }

  private void compare(ResultFile.Asked before, ResultFile.Asked after) {
    for (Answer now : after.answers()) {
      before.answers().stream()
          .filter(answer -> Objects.equals(answer.rival(), now.rival()))
          .findFirst()
          .ifPresent(then -> compare(after.name(), then, now));
    }
  }

  private void compare(String question, Answer before, Answer after) {
    if (before.ratios().isEmpty() || after.ratios().isEmpty()) {
      return;
    }
    compared++;
    change(question, after.rival(), "ratio", before.ratios(), after.ratios(), true);
    for (Cost cost : List.of(Cost.CLIENT_WRITES, Cost.SERVER_READS, Cost.CLIENT_ALLOCATION)) {
      List<Double> then = before.costs().get(cost.key());
      List<Double> now = after.costs().get(cost.key());
      if (then != null && now != null) {
        change(question, after.rival(), cost.heading(), then, now, false);
      }
    }
  }

  private void change(
      String question,
      String rival,
      String figure,
      List<Double> before,
      List<Double> after,
      boolean speed) {
    String verdict = verdict(before, after, speed);
    if (verdict != null) {
      double then = Numbers.median(before);
      double now = Numbers.median(after);
      String change = String.format(java.util.Locale.ROOT, "%+.0f %%", (now / then - 1) * 100);
      rows.add(
          List.of(
              question,
              rival,
              figure,
              Numbers.rounded(then),
              Numbers.rounded(now),
              change,
              verdict));
    }
  }

  /** The verdict on one figure, or null if it has not changed beyond noise. */
  static @Nullable String verdict(List<Double> before, List<Double> after, boolean speed) {
    if (Math.min(before.size(), after.size()) < LEAST_ROUNDS) {
      return null;
    }
    double change = Math.abs(Numbers.median(after) - Numbers.median(before));
    if (change < (speed ? LEAST_SPEED : LEAST_COST) * Numbers.median(before)) {
      return null;
    }
    if (Numbers.smallest(after) > Numbers.largest(before)) {
      return speed ? "faster" : "more";
    }
    if (Numbers.largest(after) < Numbers.smallest(before)) {
      return speed ? "slower" : "less";
    }
    return null;
  }
}
