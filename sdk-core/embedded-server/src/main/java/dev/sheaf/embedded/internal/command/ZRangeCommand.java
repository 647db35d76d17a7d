// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** ZRANGE, ZRANGESTORE and the six older commands that they replace. */
final class ZRangeCommand {
  enum By {
    RANK,
    SCORE,
    LEX
  }

  private final Call call;
  private final int key;
  private By by;
  private boolean reverse;
  private boolean withScores;
  private long offset;
  private long limit = -1;
  private boolean limited;

  private ZRangeCommand(Call call, int key, By by, boolean reverse) {
    this.call = call;
    this.key = key;
    this.by = by;
    this.reverse = reverse;
  }

  static void range(Call call) {
    new ZRangeCommand(call, 1, By.RANK, false).run(true, null);
  }

  static void rangeStore(Call call) {
    new ZRangeCommand(call, 2, By.RANK, false).run(true, call.arg(1));
  }

  /** One of the older commands. */
  static Handler older(By by, boolean reverse) {
    return call -> new ZRangeCommand(call, 1, by, reverse).run(false, null);
  }

  private void run(boolean allOptions, byte @Nullable [] store) {
    parse(allOptions, store != null);
    List<ScoredMembers.Node> found = by == By.RANK ? byRank() : byBounds();
    if (store == null) {
      SortedSetReplies.write(call, found, withScores);
    } else {
      store(store, found);
    }
  }

  private void parse(boolean allOptions, boolean storing) {
    for (int i = key + 3; i < call.count(); i++) {
      String option = call.option(i);
      Errors.syntaxIf(!allOptions && Set.of("REV", "BYSCORE", "BYLEX").contains(option));
      switch (option) {
        case "WITHSCORES" -> {
          Errors.syntaxIf(storing);
          withScores = true;
        }
        case "LIMIT" -> {
          call.next(i + 1);
          offset = call.longArg(++i);
          limit = call.longArg(++i);
          limited = true;
        }
        case "REV" -> reverse = true;
        case "BYSCORE" -> by = By.SCORE;
        case "BYLEX" -> by = By.LEX;
        default -> throw Errors.syntax();
      }
    }
    Errors.refuseIf(
        limited && limit != -1 && by == By.RANK,
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    Errors.refuseIf(
        withScores && by == By.LEX,
        "ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  }

  private List<ScoredMembers.Node> byRank() {
    long start = call.longArg(key + 1);
    long end = call.longArg(key + 2);
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(key));
    List<ScoredMembers.Node> found = new ArrayList<>();
    IndexRange range = IndexRange.of(start, end, set.size());
    int first = reverse ? set.size() - 1 - range.from() : range.from();
    ScoredMembers.Node node = range.size() == 0 ? null : set.order.byRank(first);
    for (int n = range.size(); n > 0 && node != null; n--) {
      found.add(node);
      node = reverse ? node.previous() : node.next();
    }
    return found;
  }

  private List<ScoredMembers.Node> byBounds() {
    byte[] min = call.arg(reverse ? key + 2 : key + 1);
    byte[] max = call.arg(reverse ? key + 1 : key + 2);
    ScoreRange range =
        by == By.SCORE ? ScoreRange.byScore(call, min, max) : ScoreRange.byLex(min, max);
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(key));
    List<ScoredMembers.Node> found = new ArrayList<>();
    if (offset < 0) {
      return found;
    }
    ScoredMembers.Node node = reverse ? range.last(set) : range.first(set);
    for (long skip = offset; skip > 0 && node != null; skip--) {
      node = reverse ? node.previous() : node.next();
    }
    while (node != null
        && (reverse ? range.reachesDown(node) : range.reaches(node))
        && (limit < 0 || found.size() < limit)) {
      found.add(node);
      node = reverse ? node.previous() : node.next();
    }
    return found;
  }

  private void store(byte[] target, List<ScoredMembers.Node> found) {
    SortedSetValue result = new SortedSetValue();
    found.forEach(node -> result.put(node.member, node.score()));
    call.storeOrDelete(target, result, found.size());
  }
}
