package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.KeySpec;
import java.util.ArrayList;
import java.util.List;

/** ZADD, ZRANGE and the other commands on sorted sets, blocking ones included. */
final class SortedSetCommands {
  private SortedSetCommands() {}

  static void register(Rows rows) {
    KeySpec one = KeySpec.ONE;
    KeySpec butLast = KeySpec.range(1, -2, 1);
    var union = ZCombineCommand.Operation.UNION;
    var intersection = ZCombineCommand.Operation.INTERSECTION;
    var difference = ZCombineCommand.Operation.DIFFERENCE;
    rows.group(Group.SORTED_SET)
        .add(
            "bzmpop",
            -5,
            "write blocking",
            KeySpec.counted(2),
            "7.0.0",
            "As ZMPOP, waiting for a member.",
            ZPopCommand::blockingMany)
        .add(
            "bzpopmax",
            -3,
            "write noscript blocking fast",
            butLast,
            "5.0.0",
            "As ZPOPMAX, waiting for a member.",
            call -> ZPopCommand.blocking(call, true))
        .add(
            "bzpopmin",
            -3,
            "write noscript blocking fast",
            butLast,
            "5.0.0",
            "As ZPOPMIN, waiting for a member.",
            call -> ZPopCommand.blocking(call, false))
        .add(
            "zadd",
            -4,
            "write denyoom fast",
            one,
            "1.2.0",
            "Adds members or changes their scores.",
            ZAddCommand::run)
        .add(
            "zcard",
            2,
            "readonly fast",
            one,
            "1.2.0",
            "How many members there are.",
            SortedSetCommands::zcard)
        .add(
            "zcount",
            4,
            "readonly fast",
            one,
            "2.0.0",
            "How many members have a score in a range.",
            call -> count(call, true))
        .add(
            "zdiff",
            -3,
            "readonly",
            KeySpec.counted(1),
            "6.2.0",
            "What is in the first set only.",
            ZCombineCommand.reply(difference))
        .add(
            "zdiffstore",
            -4,
            "write denyoom",
            KeySpec.storeCounted(),
            "6.2.0",
            "Stores what is in the first set only.",
            ZCombineCommand.store(difference))
        .add(
            "zincrby",
            4,
            "write denyoom fast",
            one,
            "1.2.0",
            "Adds to a member's score.",
            ZAddCommand::incrBy)
        .add(
            "zinter",
            -3,
            "readonly",
            KeySpec.counted(1),
            "6.2.0",
            "What is in all sets.",
            ZCombineCommand.reply(intersection))
        .add(
            "zintercard",
            -3,
            "readonly",
            KeySpec.counted(1),
            "7.0.0",
            "How much is in all sets.",
            ZCombineCommand::interCard)
        .add(
            "zinterstore",
            -4,
            "write denyoom",
            KeySpec.storeCounted(),
            "2.0.0",
            "Stores what is in all sets.",
            ZCombineCommand.store(intersection))
        .add(
            "zlexcount",
            4,
            "readonly fast",
            one,
            "2.8.9",
            "How many members are in a range of bytes.",
            call -> count(call, false))
        .add(
            "zmpop",
            -4,
            "write",
            KeySpec.counted(1),
            "7.0.0",
            "Takes members from the first set that has any.",
            ZPopCommand::many)
        .add(
            "zmscore",
            -3,
            "readonly fast",
            one,
            "6.2.0",
            "The scores of many members.",
            SortedSetCommands::zmscore)
        .add(
            "zpopmax",
            -2,
            "write fast",
            one,
            "5.0.0",
            "Takes the members with the highest scores.",
            call -> ZPopCommand.run(call, true))
        .add(
            "zpopmin",
            -2,
            "write fast",
            one,
            "5.0.0",
            "Takes the members with the lowest scores.",
            call -> ZPopCommand.run(call, false))
        .add(
            "zrandmember",
            -2,
            "readonly",
            one,
            "6.2.0",
            "Any members.",
            SortedSetCommands::zrandmember)
        .add("zrange", -4, "readonly", one, "1.2.0", "A range of members.", ZRangeCommand::range)
        .add(
            "zrangebylex",
            -4,
            "readonly",
            one,
            "2.8.9",
            "As ZRANGE BYLEX; the old form.",
            ZRangeCommand::rangeByLex)
        .add(
            "zrangebyscore",
            -4,
            "readonly",
            one,
            "1.0.5",
            "As ZRANGE BYSCORE; the old form.",
            ZRangeCommand::rangeByScore)
        .add(
            "zrangestore",
            -5,
            "write denyoom",
            KeySpec.range(1, 2, 1),
            "6.2.0",
            "Stores a range of members.",
            ZRangeCommand::rangeStore)
        .add(
            "zrank",
            3,
            "readonly fast",
            one,
            "2.0.0",
            "Where a member is, from the lowest.",
            call -> rank(call, false))
        .add("zrem", -3, "write fast", one, "1.2.0", "Removes members.", SortedSetCommands::zrem)
        .add(
            "zremrangebylex",
            4,
            "write",
            one,
            "2.8.9",
            "Removes a range of bytes.",
            call -> removeRange(call, ScoreRange.byLex(call.arg(2), call.arg(3))))
        .add(
            "zremrangebyrank",
            4,
            "write",
            one,
            "2.0.0",
            "Removes a range of ranks.",
            SortedSetCommands::removeByRank)
        .add(
            "zremrangebyscore",
            4,
            "write",
            one,
            "1.2.0",
            "Removes a range of scores.",
            call -> removeRange(call, ScoreRange.byScore(call.arg(2), call.arg(3))))
        .add(
            "zrevrange",
            -4,
            "readonly",
            one,
            "1.2.0",
            "As ZRANGE REV; the old form.",
            ZRangeCommand::revRange)
        .add(
            "zrevrangebylex",
            -4,
            "readonly",
            one,
            "2.8.9",
            "As ZRANGE BYLEX REV; the old form.",
            ZRangeCommand::revRangeByLex)
        .add(
            "zrevrangebyscore",
            -4,
            "readonly",
            one,
            "2.2.0",
            "As ZRANGE BYSCORE REV; the old form.",
            ZRangeCommand::revRangeByScore)
        .add(
            "zrevrank",
            3,
            "readonly fast",
            one,
            "2.0.0",
            "Where a member is, from the highest.",
            call -> rank(call, true))
        .add(
            "zscan",
            -3,
            "readonly",
            one,
            "2.8.0",
            "Some members, and where to go on.",
            SortedSetCommands::zscan)
        .add(
            "zscore",
            3,
            "readonly fast",
            one,
            "1.2.0",
            "The score of a member.",
            SortedSetCommands::zscore)
        .add(
            "zunion",
            -3,
            "readonly",
            KeySpec.counted(1),
            "6.2.0",
            "What is in any of the sets.",
            ZCombineCommand.reply(union))
        .add(
            "zunionstore",
            -4,
            "write denyoom",
            KeySpec.storeCounted(),
            "2.0.0",
            "Stores what is in any of the sets.",
            ZCombineCommand.store(union));
  }

  /** Members with or without scores: pairs in RESP3, a flat list in RESP2. */
  private static void zcard(Call call) {
    SortedSetValue set = call.sortedSet(call.arg(1));
    call.out().integer(set == null ? 0 : set.size());
  }

  private static void zscore(Call call) {
    SortedSetValue set = call.sortedSet(call.arg(1));
    score(call, set == null ? null : set.find(call.arg(2)));
  }

  private static void score(Call call, ScoredMembers.@org.jspecify.annotations.Nullable Node node) {
    if (node == null) {
      call.out().nil();
    } else {
      call.out().number(node.score());
    }
  }

  private static void zmscore(Call call) {
    SortedSetValue set = call.sortedSet(call.arg(1));
    call.out().array(call.count() - 2);
    for (int i = 2; i < call.count(); i++) {
      score(call, set == null ? null : set.find(call.arg(i)));
    }
  }

  private static void rank(Call call, boolean reverse) {
    SortedSetValue set = call.sortedSet(call.arg(1));
    ScoredMembers.Node node = set == null ? null : set.find(call.arg(2));
    if (set == null || node == null) {
      call.out().nil();
    } else {
      int rank = set.order().rank(node);
      call.out().integer(reverse ? set.size() - 1 - rank : rank);
    }
  }

  private static void count(Call call, boolean byScore) {
    ScoreRange range =
        byScore
            ? ScoreRange.byScore(call.arg(2), call.arg(3))
            : ScoreRange.byLex(call.arg(2), call.arg(3));
    SortedSetValue set = call.sortedSet(call.arg(1));
    call.out().integer(set == null ? 0 : range.count(set));
  }

  private static void zrem(Call call) {
    byte[] key = call.arg(1);
    SortedSetValue set = call.sortedSet(key);
    int removed = 0;
    if (set != null) {
      for (int i = 2; i < call.count(); i++) {
        if (set.remove(call.arg(i))) {
          removed++;
        }
      }
      SortedSetReplies.removedFrom(call, key, set, removed, call.command().name());
    }
    call.out().integer(removed);
  }

  private static void removeRange(Call call, ScoreRange range) {
    byte[] key = call.arg(1);
    SortedSetValue set = call.sortedSet(key);
    int removed = 0;
    ScoredMembers.Node node = set == null ? null : range.first(set);
    while (set != null && node != null && range.reaches(node)) {
      ScoredMembers.Node next = node.next();
      set.remove(node.member());
      removed++;
      node = next;
    }
    if (set != null) {
      SortedSetReplies.removedFrom(call, key, set, removed, call.command().name());
    }
    call.out().integer(removed);
  }

  private static void removeByRank(Call call) {
    long start = call.longArg(2);
    long end = call.longArg(3);
    byte[] key = call.arg(1);
    SortedSetValue set = call.sortedSet(key);
    if (set == null) {
      call.out().integer(0);
      return;
    }
    IndexRange range = IndexRange.of(start, end, set.size());
    for (int n = range.size(); n > 0; n--) {
      ScoredMembers.Node node = set.order().byRank(range.from());
      if (node != null) {
        set.remove(node.member());
      }
    }
    SortedSetReplies.removedFrom(call, key, set, range.size(), call.command().name());
    call.out().integer(range.size());
  }

  private static void zrandmember(Call call) {
    if (call.count() == 2) {
      SortedSetValue set = call.sortedSet(call.arg(1));
      var entry = set == null ? null : set.members().random(call.node().nodes().random());
      call.out().bulkOrNil(entry == null ? null : entry.key());
      return;
    }
    long count = RandomPick.count(call);
    boolean withScores = call.count() == 4 && call.is(3, "WITHSCORES");
    if (call.count() > 4 || call.count() == 4 && !withScores) {
      throw Errors.syntax();
    }
    if (withScores && (count < -Long.MAX_VALUE / 2 || count > Long.MAX_VALUE / 2)) {
      throw Errors.of("ERR value is out of range");
    }
    SortedSetValue set = call.sortedSet(call.arg(1));
    List<ScoredMembers.Node> chosen = new ArrayList<>();
    if (set != null) {
      for (var e : RandomPick.from(set.members(), count, call.node().nodes().random())) {
        chosen.add(e.value());
      }
    }
    SortedSetReplies.write(call, chosen, withScores);
  }

  private static void zscan(Call call) {
    long cursor = Scan.cursor(call.arg(2));
    SortedSetValue set = call.sortedSet(call.arg(1));
    Scan scan = set == null ? Scan.ANY : Scan.options(call, 3, false);
    List<byte[]> found = new ArrayList<>();
    if (set == null) {
      cursor = 0;
    } else if (set.isCompact()) {
      cursor = 0;
      for (ScoredMembers.Node n = set.order().first(); n != null; n = n.next()) {
        collect(scan, n, wholeAsInteger(n.score()), found);
      }
    } else {
      cursor =
          scan.walk(
              set.members(),
              cursor,
              (ByteMap.Entry<ScoredMembers.Node> e) ->
                  collect(scan, e.value(), Numbers.format(e.value().score()), found));
    }
    call.out().array(2);
    call.out().bulk(Long.toUnsignedString(cursor));
    call.out().array(found.size());
    found.forEach(call.out()::bulk);
  }

  /** The compact form of Redis keeps whole scores as integers, and ZSCAN shows them so. */
  private static String wholeAsInteger(double score) {
    boolean whole = score == Math.rint(score) && Math.abs(score) <= (double) (Long.MAX_VALUE / 2);
    return whole ? Long.toString((long) score) : Numbers.format(score);
  }

  private static void collect(
      Scan scan, ScoredMembers.Node node, String score, List<byte[]> found) {
    if (scan.matches(node.member())) {
      found.add(node.member());
      found.add(Bytes.latin(score));
    }
  }
}
