// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.ListValue;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** LPUSH, LPOP and the other commands on lists, blocking ones included. */
final class ListCommands {
  static void register(Handlers handlers) {
    handlers
        .add("blmove", ListCommands::blmove)
        .add("blmpop", ListCommands::blmpop)
        .add("blpop", call -> bpop(call, true))
        .add("brpop", call -> bpop(call, false))
        .add("brpoplpush", call -> blockingMove(call, false, true, Blocking.deadline(call, 3)))
        .add("lindex", ListCommands::lindex)
        .add("linsert", ListCommands::linsert)
        .add("llen", call -> call.out.integer(call.listOrEmpty(call.arg(1)).size()))
        .add("lmove", ListCommands::lmove)
        .add("lmpop", ListCommands::lmpop)
        .add("lpop", call -> pop(call, true))
        .add("lpos", ListCommands::lpos)
        .add("lpush", call -> push(call, true, false))
        .add("lpushx", call -> push(call, true, true))
        .add("lrange", ListCommands::lrange)
        .add("lrem", ListCommands::lrem)
        .ok("lset", ListCommands::lset)
        .ok("ltrim", ListCommands::ltrim)
        .add("rpop", call -> pop(call, false))
        .add("rpoplpush", ListCommands::rpoplpush)
        .add("rpush", call -> push(call, false, false))
        .add("rpushx", call -> push(call, false, true));
  }

  private static void push(Call call, boolean left, boolean onlyIfThere) {
    byte[] key = call.arg(1);
    ListValue known = call.list(key);
    if (known == null && onlyIfThere) {
      call.out.integer(0);
      return;
    }
    ListValue list = call.orNew(key, known, ListValue::new);
    for (int i = 2; i < call.count(); i++) {
      list.add(left, call.arg(i));
    }
    call.changed(key);
    call.out.integer(list.size());
  }

  private static void pop(Call call, boolean left) {
    Errors.arityIf(call.count() > 3, call);
    boolean many = call.count() == 3;
    long count = many ? call.positive(2) : 1;
    byte[] key = call.arg(1);
    ListValue list = call.list(key);
    if (list == null) {
      call.out.nil(many);
    } else if (many) {
      int n = (int) Math.min(count, list.size());
      call.out.array(n);
      take(call, key, list, left, n);
    } else {
      take(call, key, list, left, 1);
    }
  }

  /** Removes and replies this many elements. */
  private static void take(Call call, byte[] key, ListValue list, boolean left, int n) {
    for (int i = 0; i < n; i++) {
      call.out.bulk(list.remove(left));
    }
    if (n > 0) {
      call.deleteIfEmpty(key, list.size());
      call.changed(key, left ? "lpop" : "rpop");
    }
  }

  private static void lindex(Call call) {
    ListValue list = call.list(call.arg(1));
    if (list == null) {
      call.out.nil();
      return;
    }
    int index = index(call, list);
    call.out.bulkOrNil(index < 0 ? null : list.get(index));
  }

  /** Parses an index from either end; negative if the list has no such index. */
  private static int index(Call call, ListValue list) {
    long index = call.longArg(2);
    index = index < 0 ? index + list.size() : index;
    return index < list.size() ? (int) Math.max(-1, index) : -1;
  }

  private static void lset(Call call) {
    ListValue list = Errors.found(call.list(call.arg(1)), Errors.NO_SUCH_KEY);
    int index = index(call, list);
    Errors.refuseIf(index < 0, "ERR index out of range");
    list.set(index, call.arg(3));
    call.changed(call.arg(1));
  }

  private static void linsert(Call call) {
    boolean after = call.either(2, "AFTER", "BEFORE");
    ListValue list = call.list(call.arg(1));
    if (list == null) {
      call.out.integer(0);
      return;
    }
    for (int i = 0; i < list.size(); i++) {
      if (Arrays.equals(list.get(i), call.arg(3))) {
        list.insert(after ? i + 1 : i, call.arg(4));
        call.changed(call.arg(1));
        call.out.integer(list.size());
        return;
      }
    }
    call.out.integer(-1);
  }

  private static void lrange(Call call) {
    long start = call.longArg(2);
    long end = call.longArg(3);
    ListValue list = call.listOrEmpty(call.arg(1));
    IndexRange range = IndexRange.of(start, end, list.size());
    call.out.array(range.size());
    for (int i = range.from(); i <= range.to(); i++) {
      call.out.bulk(list.get(i));
    }
  }

  private static void ltrim(Call call) {
    long start = call.longArg(2);
    long end = call.longArg(3);
    byte[] key = call.arg(1);
    ListValue list = call.list(key);
    if (list != null) {
      IndexRange range = IndexRange.of(start, end, list.size());
      list.trim(range.from(), range.to());
      call.deleteIfEmpty(key, list.size());
      call.changed(key);
    }
  }

  private static void lrem(Call call) {
    long count = call.longArg(2);
    byte[] key = call.arg(1);
    ListValue list = call.listOrEmpty(key);
    int max = count == 0 ? Integer.MAX_VALUE : (int) Math.min(Integer.MAX_VALUE, Math.abs(count));
    int removed = list.removeEqual(call.arg(3), max, count >= 0);
    if (removed > 0) {
      call.deleteIfEmpty(key, list.size());
      call.changed(key);
    }
    call.out.integer(removed);
  }

  private static void lpos(Call call) {
    long rank = 1;
    long count = -1;
    long maxLength = 0;
    for (int i = 3; i < call.count(); i += 2) {
      int at = call.next(i);
      switch (call.option(i)) {
        case "RANK" -> rank = rank(call, at);
        case "COUNT" -> count = notNegative(call, at, "COUNT");
        case "MAXLEN" -> maxLength = notNegative(call, at, "MAXLEN");
        default -> throw Errors.syntax();
      }
    }
    List<Integer> found = new ArrayList<>();
    boolean all = count == 0 || (count > 0 && rank == Long.MIN_VALUE);
    long wanted = all ? Long.MAX_VALUE : Math.max(1, count);
    find(call.listOrEmpty(call.arg(1)), call.arg(2), rank, wanted, maxLength, found);
    if (count >= 0) {
      call.out.each(found, place -> call.out.integer(place));
    } else if (found.isEmpty()) {
      call.out.nil();
    } else {
      call.out.integer(found.get(0));
    }
  }

  private static long rank(Call call, int at) {
    long rank = call.longArg(at);
    Errors.refuseIf(
        rank == Long.MIN_VALUE && call.node.edition().isNewer(), RandomPick.OUT_OF_RANGE);
    Errors.refuseIf(
        rank == 0,
        "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second"
            + " ... or use negative to start from the end of the list");
    return rank;
  }

  private static long notNegative(Call call, int at, String option) {
    return call.longArg(at, 0, Long.MAX_VALUE, "ERR " + option + " can't be negative");
  }

  private static void find(
      ListValue list, byte[] element, long rank, long wanted, long maxLength, List<Integer> found) {
    // Redis cannot negate the lowest number, so it skips nothing.
    long skip = rank == Long.MIN_VALUE ? 0 : Math.abs(rank) - 1;
    for (int n = 0; n < list.size() && (maxLength == 0 || n < maxLength); n++) {
      int i = rank > 0 ? n : list.size() - 1 - n;
      if (Arrays.equals(list.get(i), element) && --skip < 0) {
        found.add(i);
        if (found.size() >= wanted) {
          return;
        }
      }
    }
  }

  private static void lmove(Call call) {
    boolean fromLeft = call.either(3, "LEFT", "RIGHT");
    boolean toLeft = call.either(4, "LEFT", "RIGHT");
    if (!tryMove(call, fromLeft, toLeft)) {
      call.out.nil();
    }
  }

  private static void rpoplpush(Call call) {
    if (!tryMove(call, false, true)) {
      call.out.nil();
    }
  }

  /** Moves and replies one element. Returns false without a source. */
  private static boolean tryMove(Call call, boolean fromLeft, boolean toLeft) {
    byte[] from = call.arg(1);
    byte[] to = call.arg(2);
    ListValue source = call.list(from);
    if (source == null) {
      return false;
    }
    ListValue target = call.list(to);
    byte[] element = source.remove(fromLeft);
    call.orNew(to, target, ListValue::new).add(toLeft, element);
    call.deleteIfEmpty(from, source.size());
    call.changed(to, toLeft ? "lpush" : "rpush");
    call.changed(from, fromLeft ? "lpop" : "rpop");
    call.out.bulk(element);
    return true;
  }

  private static void blmove(Call call) {
    boolean fromLeft = call.either(3, "LEFT", "RIGHT");
    boolean toLeft = call.either(4, "LEFT", "RIGHT");
    blockingMove(call, fromLeft, toLeft, Blocking.deadline(call, 5));
  }

  private static void blockingMove(Call call, boolean fromLeft, boolean toLeft, long deadline) {
    byte[] left = Bytes.of("LEFT");
    byte[] right = Bytes.of("RIGHT");
    call.effect(
        Bytes.of("LMOVE"),
        call.arg(1),
        call.arg(2),
        fromLeft ? left : right,
        toLeft ? left : right);
    if (tryMove(call, fromLeft, toLeft)) {
      return;
    }
    // The two empty replies differ in RESP2, as in Redis.
    Blocking.await(
        call,
        List.of(call.arg(1)),
        deadline,
        key -> moveOrRefuse(call, fromLeft, toLeft),
        call.mayBlock ? call.out::nilArray : call.out::nil);
  }

  /** Once there is an element to move, a target of another type ends the wait. */
  private static boolean moveOrRefuse(Call call, boolean fromLeft, boolean toLeft) {
    boolean ready = call.list(call.arg(1)) != null;
    try {
      return tryMove(call, fromLeft, toLeft);
    } catch (CommandException e) {
      return ready && Dispatcher.refuse(call, e.line());
    }
  }

  private static void bpop(Call call, boolean left) {
    long deadline = Blocking.deadline(call, call.count() - 1);
    PopAcross.untilTimeout(call, left).orWait(call, deadline, key -> tryPop(call, key, left));
  }

  private static boolean tryPop(Call call, byte[] key, boolean left) {
    ListValue list = call.list(key);
    if (list == null) {
      return false;
    }
    call.effect(Bytes.of(left ? "LPOP" : "RPOP"), key);
    call.out.array(2);
    call.out.bulk(key);
    take(call, key, list, left, 1);
    return true;
  }

  private static void lmpop(Call call) {
    PopAcross pop = PopAcross.counted(call, 1, "LEFT", "RIGHT");
    pop.now(call, key -> tryMultiPop(call, pop, key));
  }

  private static void blmpop(Call call) {
    long deadline = Blocking.deadline(call, 1);
    PopAcross pop = PopAcross.counted(call, 2, "LEFT", "RIGHT");
    pop.orWait(call, deadline, key -> tryMultiPop(call, pop, key));
  }

  private static boolean tryMultiPop(Call call, PopAcross pop, byte[] key) {
    ListValue list = call.list(key);
    if (list == null) {
      return false;
    }
    int n = (int) Math.min(pop.count(), list.size());
    pop.replicateAs(call, "LPOP", "RPOP", key, n);
    call.out.array(2);
    call.out.bulk(key);
    call.out.array(n);
    take(call, key, list, pop.first(), n);
    return true;
  }
}
