// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A part of a sorted set bounded by scores or by bytes, iterable from either end. */
record ScoreRange(ScoredMembers.Before before, Predicate<ScoredMembers.Node> within) {

  /** Accepted by strtod, but not by Redis 8: leading spaces, and hexadecimal digits. */
  private static final Pattern STRTOD_ONLY = Pattern.compile("^\\s|[xX]");

  static ScoreRange byScore(Call call, byte[] min, byte[] max) {
    boolean openMin = min.length > 0 && min[0] == '(';
    boolean openMax = max.length > 0 && max[0] == '(';
    double from = bound(call, min, openMin);
    double to = bound(call, max, openMax);
    return new ScoreRange(
        node -> openMin ? node.score() <= from : node.score() < from,
        node -> openMax ? node.score() < to : node.score() <= to);
  }

  private static double bound(Call call, byte[] text, boolean open) {
    // As C's strtod: leading spaces are allowed, and an empty text is zero.
    String number = Bytes.untilNul(open ? Arrays.copyOfRange(text, 1, text.length) : text);
    Double value =
        number.isEmpty()
            ? Double.valueOf(0)
            : Numbers.parseDouble(Bytes.latin(number.stripLeading()));
    boolean strict = call.node.edition().has("8.0.0");
    if (value == null || (strict && STRTOD_ONLY.matcher(number).find())) {
      throw Errors.of("ERR min or max is not a float");
    }
    return value;
  }

  static ScoreRange byLex(byte[] min, byte[] max) {
    LexBound from = LexBound.parse(min);
    LexBound to = LexBound.parse(max);
    return new ScoreRange(
        node ->
            from.compare(node.member) < 0 || (!from.inclusive() && from.compare(node.member) == 0),
        node -> to.compare(node.member) < 0 || (to.inclusive() && to.compare(node.member) == 0));
  }

  /** {@code infinite} is -1 or 1 for the texts - and +, otherwise 0. */
  private record LexBound(byte[] value, boolean inclusive, int infinite) {
    static LexBound parse(byte[] text) {
      if (text.length == 1 && (text[0] == '-' || text[0] == '+')) {
        return new LexBound(Bytes.EMPTY, false, text[0] == '-' ? -1 : 1);
      }
      Errors.refuseIf(
          text.length == 0 || (text[0] != '(' && text[0] != '['),
          "ERR min or max not valid string range item");
      return new LexBound(Arrays.copyOfRange(text, 1, text.length), text[0] == '[', 0);
    }

    int compare(byte[] member) {
      return infinite != 0 ? -infinite : Arrays.compareUnsigned(member, value);
    }
  }

  ScoredMembers.@Nullable Node first(SortedSetValue set) {
    ScoredMembers.Node node = firstNotBefore(set);
    return node != null && within.test(node) ? node : null;
  }

  ScoredMembers.@Nullable Node last(SortedSetValue set) {
    ScoredMembers.Node node = lastWithin(set);
    return node != null && !before.test(node) ? node : null;
  }

  // If members have different scores, their order is not that of a range of bytes. Redis' result is
  // undefined but deterministic; small sets are iterated as in Redis.
  private ScoredMembers.@Nullable Node firstNotBefore(SortedSetValue set) {
    if (!set.isCompact()) {
      return set.order.firstNot(before);
    }
    ScoredMembers.Node node = set.order.first();
    while (node != null && before.test(node)) {
      node = node.next();
    }
    return node;
  }

  /** Returns whether an ascending iteration from {@link #first} is still in the range. */
  boolean reaches(ScoredMembers.Node node) {
    return within.test(node);
  }

  /** Returns whether a descending iteration from {@link #last} is still in the range. */
  boolean reachesDown(ScoredMembers.Node node) {
    return !before.test(node);
  }

  private ScoredMembers.@Nullable Node lastWithin(SortedSetValue set) {
    if (!set.isCompact()) {
      ScoredMembers.Node after = set.order.firstNot(within::test);
      return after == null ? set.order.last() : after.previous();
    }
    ScoredMembers.Node node = set.order.last();
    while (node != null && !within.test(node)) {
      node = node.previous();
    }
    return node;
  }

  int count(SortedSetValue set) {
    int count = 0;
    for (ScoredMembers.Node n = first(set); n != null && within.test(n); n = n.next()) {
      count++;
    }
    return count;
  }
}
