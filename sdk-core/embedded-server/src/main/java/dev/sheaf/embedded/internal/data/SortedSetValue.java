// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.Nullable;

/** A sorted set: its members by name and in order. */
public final class SortedSetValue extends Value {
  /** The members by name, for reading. */
  public final ByteMap<ScoredMembers.Node> members = new ByteMap<>();

  /** The members in order, for reading. */
  public final ScoredMembers order = new ScoredMembers();

  // The most there ever was: what has outgrown the compact form does not go back to it.
  private int mostEntries;
  private int longest;

  public int size() {
    return members.size();
  }

  public ScoredMembers.@Nullable Node find(byte[] member) {
    return members.get(member);
  }

  /** Adds the member or moves it to the score. */
  public void put(byte[] member, double newScore) {
    // The compact form of Redis keeps whole scores as integers, which have no negative zero.
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

  /** Takes the encoding of large sets for good, as SORT makes a set do in Redis. */
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
