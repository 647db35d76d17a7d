// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Members ordered by score, then by bytes. A tree finds a place, and links lead from there. Ranks
 * are counted out along the links, so they take time in proportion to the set.
 */
public final class ScoredMembers {

  /** One member with its score. */
  public static class Node {
    public final byte[] member;
    private double score;
    private @Nullable Node next;
    private @Nullable Node previous;

    Node(byte[] member, double score) {
      this.member = member;
      this.score = score;
    }

    public double score() {
      return score;
    }

    public @Nullable Node next() {
      return next;
    }

    public @Nullable Node previous() {
      return previous;
    }
  }

  /** Whether a member lies before the wished range; used for a descent to the range's start. */
  public interface Before {
    boolean test(Node node);
  }

  /** A place between two members, for a look into the tree. */
  private static final class Place extends Node {
    final Before before;

    Place(Before before) {
      super(Bytes.EMPTY, 0);
      this.before = before;
    }
  }

  private final TreeSet<Node> tree = new TreeSet<>(ScoredMembers::compare);
  private @Nullable Node first;
  private @Nullable Node last;

  private static int compare(Node a, Node b) {
    if (a instanceof Place place) {
      return place.before.test(b) ? 1 : -1;
    }
    int byScore = a.score < b.score ? -1 : a.score > b.score ? 1 : 0;
    return byScore != 0 ? byScore : Arrays.compareUnsigned(a.member, b.member);
  }

  public int size() {
    return tree.size();
  }

  public @Nullable Node first() {
    return first;
  }

  public @Nullable Node last() {
    return last;
  }

  /** The member must not be present. */
  public Node insert(byte[] member, double score) {
    Node added = new Node(member, score);
    insert(added);
    return added;
  }

  /** Gives a member that is present another score. */
  public void move(Node node, double newScore) {
    remove(node);
    node.score = newScore;
    insert(node);
  }

  private void insert(Node added) {
    Node before = tree.lower(added);
    Node after = before == null ? first : before.next;
    tree.add(added);
    link(before, added);
    link(added, after);
  }

  private void link(@Nullable Node before, @Nullable Node after) {
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
  }

  /** The node must be present. */
  public void remove(Node node) {
    tree.remove(node);
    link(node.previous, node.next);
  }

  /** Zero for the smallest. */
  public int rank(Node node) {
    int rank = 0;
    for (Node n = node.previous; n != null; n = n.previous) {
      rank++;
    }
    return rank;
  }

  public @Nullable Node byRank(int rank) {
    boolean upwards = rank <= size() / 2;
    Node node = upwards ? first : last;
    for (int left = upwards ? rank : size() - 1 - rank; left > 0 && node != null; left--) {
      node = upwards ? node.next : node.previous;
    }
    return node;
  }

  /** The first member that is not before the range. */
  public @Nullable Node firstNot(Before before) {
    return tree.ceiling(new Place(before));
  }
}
