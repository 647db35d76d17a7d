// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.Nullable;

/** A sorted set: its members by name and in order. */
public final class SortedSetValue extends Value {
  /** The members by name, read-only. */
  public final ByteMap<ScoredMembers.Node> members = new ByteMap<>();

  /** The members in order, read-only. */
  public final ScoredMembers order = new ScoredMembers();

  // The maximum so far: a value that has outgrown the compact form does not return to it.
  private int mostEntries;
  private int longest;

  public int size() {
    return members.size();
  }

  public ScoredMembers.@Nullable Node find(byte[] member) {
    return members.get(member);
  }

  /** Adds a member or changes its score. */
  public void put(byte[] member, double newScore) {
    // Redis' compact form stores integral scores as integers, which have no negative zero.
    double score = isCompact() && newScore == 0 ? 0.0 : newScore;
    ByteMap.Entry<ScoredMembers.Node> e = members.entry(member);
    if (e != null) {
      if (e.value().score() == score) {
        return;
      }
      order.move(e.value(), score);
      return;
    }
    members.put(member, order.insert(member, score));
    mostEntries = Math.max(mostEntries, members.size());
    longest = Math.max(longest, member.length);
  }

  public boolean remove(byte[] member) {
    ScoredMembers.Node node = members.remove(member);
    if (node == null) {
      return false;
    }
    order.remove(node);
    return true;
  }

  public boolean isCompact() {
    return isCompact(Encodings.DEFAULT);
  }

  private boolean isCompact(Encodings limits) {
    return mostEntries <= limits.sortedSetEntries() && longest <= limits.sortedSetBytes();
  }

  /** Switches permanently to the encoding of large sets, as SORT does in Redis. */
  public void leaveCompact() {
    mostEntries = Integer.MAX_VALUE;
  }

  @Override
  public String type() {
    return "zset";
  }

  @Override
  public String encoding(Encodings encodings) {
    return isCompact(encodings) ? "listpack" : "skiplist";
  }

  @Override
  public SortedSetValue copy() {
    SortedSetValue copy = new SortedSetValue();
    for (ScoredMembers.Node n = order.first(); n != null; n = n.next()) {
      copy.put(n.member, n.score());
    }
    copy.mostEntries = mostEntries;
    copy.longest = longest;
    return copy;
  }

  @Override
  public long memory() {
    long bytes = 96;
    for (ScoredMembers.Node n = order.first(); n != null; n = n.next()) {
      bytes += 40L + n.member.length;
    }
    return bytes;
  }
}
