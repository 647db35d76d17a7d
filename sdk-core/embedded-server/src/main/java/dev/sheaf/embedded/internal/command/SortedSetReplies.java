// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.List;

/** Replies shared by the sorted set commands. */
final class SortedSetReplies {
  static void write(Call call, List<ScoredMembers.Node> nodes, boolean withScores) {
    Reply out = call.out;
    boolean pairs = withScores && out.protocol() == 3;
    out.array(withScores && !pairs ? nodes.size() * 2 : nodes.size());
    for (ScoredMembers.Node node : nodes) {
      if (pairs) {
        out.array(2);
      }
      out.bulk(node.member);
      if (withScores) {
        out.number(node.score());
      }
    }
  }

  static void removedFrom(Call call, byte[] key, SortedSetValue set, int removed, String event) {
    if (removed > 0) {
      call.deleteIfEmpty(key, set.size());
      call.changed(key, event);
    }
  }
}
