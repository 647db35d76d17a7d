// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.util.ArrayList;
import java.util.List;

/** ZADD, ZRANGE and the other commands on sorted sets, blocking ones included. */
final class SortedSetCommands {
  static void register(Handlers handlers) {
    var union = ZCombineCommand.Operation.UNION;
    var intersection = ZCombineCommand.Operation.INTERSECTION;
    var difference = ZCombineCommand.Operation.DIFFERENCE;
    handlers
        .add("bzmpop", ZPopCommand::blockingMany)
        .add("bzpopmax", call -> ZPopCommand.blocking(call, true))
        .add("bzpopmin", call -> ZPopCommand.blocking(call, false))
        .add("zadd", ZAddCommand::run)
        .add("zcard", call -> call.out.integer(call.sortedSetOrEmpty(call.arg(1)).size()))
        .add("zcount", call -> count(call, true))
        .add("zdiff", ZCombineCommand.reply(difference))
        .add("zdiffstore", ZCombineCommand.store(difference))
        .add("zincrby", ZAddCommand::incrBy)
        .add("zinter", ZCombineCommand.reply(intersection))
        .add("zintercard", ZCombineCommand::interCard)
        .add("zinterstore", ZCombineCommand.store(intersection))
        .add("zlexcount", call -> count(call, false))
        .add("zmpop", ZPopCommand::many)
        .add("zmscore", SortedSetCommands::zmscore)
        .add("zpopmax", call -> ZPopCommand.run(call, true))
        .add("zpopmin", call -> ZPopCommand.run(call, false))
        .add("zrandmember", SortedSetCommands::zrandmember)
        .add("zrange", ZRangeCommand::range)
        .add("zrangebylex", ZRangeCommand.older(ZRangeCommand.By.LEX, false))
        .add("zrangebyscore", ZRangeCommand.older(ZRangeCommand.By.SCORE, false))
        .add("zrangestore", ZRangeCommand::rangeStore)
        .add("zrank", call -> rank(call, false))
        .add("zrem", SortedSetCommands::zrem)
        .add(
            "zremrangebylex", call -> removeRange(call, ScoreRange.byLex(call.arg(2), call.arg(3))))
        .add("zremrangebyrank", SortedSetCommands::removeByRank)
        .add(
            "zremrangebyscore",
            call -> removeRange(call, ScoreRange.byScore(call, call.arg(2), call.arg(3))))
        .add("zrevrange", ZRangeCommand.older(ZRangeCommand.By.RANK, true))
        .add("zrevrangebylex", ZRangeCommand.older(ZRangeCommand.By.LEX, true))
        .add("zrevrangebyscore", ZRangeCommand.older(ZRangeCommand.By.SCORE, true))
        .add("zrevrank", call -> rank(call, true))
        .add("zscan", SortedSetCommands::zscan)
        .add("zscore", call -> score(call, call.sortedSetOrEmpty(call.arg(1)).find(call.arg(2))))
        .add("zunion", ZCombineCommand.reply(union))
        .add("zunionstore", ZCombineCommand.store(union));
  }

  private static void score(Call call, ScoredMembers.@org.jspecify.annotations.Nullable Node node) {
    call.out.orNil(node, there -> call.out.number(there.score()));
  }

  private static void zmscore(Call call) {
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(1));
    call.out.each(call.from(2), member -> score(call, set.find(member)));
  }

  private static void rank(Call call, boolean reverse) {
    Errors.arityIf(call.count() > 4, call);
    boolean withScore = call.count() == 4;
    Errors.syntaxIf(withScore && !call.is(3, "WITHSCORE"));
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(1));
    ScoredMembers.Node node = set.find(call.arg(2));
    if (node == null) {
      call.out.nil(withScore);
      return;
    }
    if (withScore) {
      call.out.array(2);
    }
    int rank = set.order.rank(node);
    call.out.integer(reverse ? set.size() - 1 - rank : rank);
    if (withScore) {
      call.out.number(node.score());
    }
  }

  private static void count(Call call, boolean byScore) {
    ScoreRange range =
        byScore
            ? ScoreRange.byScore(call, call.arg(2), call.arg(3))
            : ScoreRange.byLex(call.arg(2), call.arg(3));
    call.out.integer(range.count(call.sortedSetOrEmpty(call.arg(1))));
  }

  private static void zrem(Call call) {
    SortedSetValue set = call.sortedSetOrEmpty(call.arg(1));
    call.removeEach(2, set::remove, set::size);
  }

  private static void removeRange(Call call, ScoreRange range) {
    byte[] key = call.arg(1);
    SortedSetValue set = call.sortedSetOrEmpty(key);
    int removed = 0;
    ScoredMembers.Node node = range.first(set);
    while (node != null && range.reaches(node)) {
      ScoredMembers.Node next = node.next();
      set.remove(node.member);
      removed++;
      node = next;
    }
    SortedSetReplies.removedFrom(call, key, set, removed, call.command.name());
    call.out.integer(removed);
  }

  private static void removeByRank(Call call) {
    long start = call.longArg(2);
    long end = call.longArg(3);
    byte[] key = call.arg(1);
    SortedSetValue set = call.sortedSetOrEmpty(key);
    IndexRange range = IndexRange.of(start, end, set.size());
    ScoredMembers.Node node = set.order.byRank(range.from());
    for (int n = range.size(); n > 0 && node != null; n--) {
      ScoredMembers.Node next = node.next();
      set.remove(node.member);
      node = next;
    }
    SortedSetReplies.removedFrom(call, key, set, range.size(), call.command.name());
    call.out.integer(range.size());
  }

  private static void zrandmember(Call call) {
    if (call.count() == 2) {
      RandomPick.one(call, call.sortedSetOrEmpty(call.arg(1)).members);
      return;
    }
    long count = RandomPick.count(call);
    boolean withScores = RandomPick.inPairs(call, count, "WITHSCORES");
    List<ScoredMembers.Node> chosen = new ArrayList<>();
    for (var e : RandomPick.from(call, call.sortedSetOrEmpty(call.arg(1)).members, count)) {
      chosen.add(e.value());
    }
    SortedSetReplies.write(call, chosen, withScores);
  }

  private static void zscan(Call call) {
    long cursor = Scan.cursor(call, 2);
    SortedSetValue set = call.sortedSet(call.arg(1));
    Scan scan = set == null ? Scan.ANY : Scan.options(call, 3, false);
    List<byte[]> found = new ArrayList<>();
    if (set == null) {
      cursor = 0;
    } else if (set.isCompact()) {
      cursor = 0;
      for (ScoredMembers.Node n = set.order.first(); n != null; n = n.next()) {
        collect(scan, n, wholeAsInteger(call, n.score()), found);
      }
    } else {
      cursor =
          scan.walk(
              set.members,
              cursor,
              (ByteMap.Entry<ScoredMembers.Node> e) ->
                  collect(scan, e.value(), Numbers.format(e.value().score()), found));
    }
    Scan.reply(call, cursor, found);
  }

  /** Redis' compact form stores integral scores as integers, and ZSCAN shows them so. */
  private static String wholeAsInteger(Call call, double score) {
    boolean whole = score == Math.rint(score) && Math.abs(score) <= Long.MAX_VALUE / 2.0;
    return whole ? Long.toString((long) score) : call.node.edition().number(score);
  }

  private static void collect(
      Scan scan, ScoredMembers.Node node, String score, List<byte[]> found) {
    if (scan.matches(node.member)) {
      found.add(node.member);
      found.add(Bytes.latin(score));
    }
  }
}
