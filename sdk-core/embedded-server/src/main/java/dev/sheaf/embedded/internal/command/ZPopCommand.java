// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.util.ArrayList;
import java.util.List;

/** ZPOPMIN, ZPOPMAX, ZMPOP and their blocking forms. */
final class ZPopCommand {
  private static List<ScoredMembers.Node> take(
      Call call, byte[] key, SortedSetValue set, boolean max, long count) {
    List<ScoredMembers.Node> taken = new ArrayList<>();
    while (taken.size() < count) {
      ScoredMembers.Node node = max ? set.order.last() : set.order.first();
      if (node == null) {
        break;
      }
      set.remove(node.member);
      taken.add(node);
    }
    SortedSetReplies.removedFrom(call, key, set, taken.size(), max ? "zpopmax" : "zpopmin");
    return taken;
  }

  static void run(Call call, boolean max) {
    Errors.syntaxIf(call.count() > 3);
    boolean many = call.count() == 3;
    long count = many ? call.positive(2) : 1;
    List<ScoredMembers.Node> taken =
        take(call, call.arg(1), call.sortedSetOrEmpty(call.arg(1)), max, count);
    if (many) {
      SortedSetReplies.write(call, taken, true);
    } else {
      call.out.array(taken.size() * 2);
      for (ScoredMembers.Node node : taken) {
        call.out.bulk(node.member);
        call.out.number(node.score());
      }
    }
  }

  static void blocking(Call call, boolean max) {
    long deadline = Blocking.deadline(call, call.count() - 1);
    PopAcross.untilTimeout(call, !max).orWait(call, deadline, key -> tryPop(call, key, max));
  }

  private static boolean tryPop(Call call, byte[] key, boolean max) {
    SortedSetValue set = call.sortedSet(key);
    if (set == null) {
      return false;
    }
    call.effect(Bytes.of(max ? "ZPOPMAX" : "ZPOPMIN"), key);
    ScoredMembers.Node node = take(call, key, set, max, 1).get(0);
    call.out.list(key, node.member, node.score());
    return true;
  }

  static void many(Call call) {
    PopAcross pop = PopAcross.counted(call, 1, "MIN", "MAX");
    pop.now(call, key -> tryMultiPop(call, pop, key));
  }

  static void blockingMany(Call call) {
    long deadline = Blocking.deadline(call, 1);
    PopAcross pop = PopAcross.counted(call, 2, "MIN", "MAX");
    pop.orWait(call, deadline, key -> tryMultiPop(call, pop, key));
  }

  private static boolean tryMultiPop(Call call, PopAcross pop, byte[] key) {
    SortedSetValue set = call.sortedSet(key);
    if (set == null) {
      return false;
    }
    pop.replicateAs(call, "ZPOPMIN", "ZPOPMAX", key, pop.count());
    List<ScoredMembers.Node> taken = take(call, key, set, !pop.first(), pop.count());
    call.out.array(2);
    call.out.bulk(key);
    call.out.array(taken.size());
    for (ScoredMembers.Node node : taken) {
      call.out.list(node.member, node.score());
    }
    return true;
  }
}
