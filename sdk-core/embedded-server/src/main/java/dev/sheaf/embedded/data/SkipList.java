package dev.sheaf.embedded.data;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Members ordered by score, then by bytes, reachable by rank: a skip list whose links know their
 * length.
 */
public final class SkipList {
  private static final int MAX_LEVEL = 32;

  /** One member with its score. */
  public static final class Node {
    private final byte[] member;
    private final double score;
    private final @Nullable Node[] next;
    private final int[] span;
    private @Nullable Node previous;

    Node(byte[] member, double score, int levels) {
      this.member = member;
      this.score = score;
      this.next = new Node[levels];
      this.span = new int[levels];
    }

    public byte[] member() {
      return member;
    }

    public double score() {
      return score;
    }

    public @Nullable Node next() {
      return next[0];
    }

    public @Nullable Node previous() {
      return previous;
    }

    private boolean before(double otherScore, byte[] otherMember) {
      return score < otherScore
          || score == otherScore && Arrays.compareUnsigned(member, otherMember) < 0;
    }
  }

  private final Node head = new Node(Bytes.EMPTY, 0, MAX_LEVEL);
  private final SplittableRandom random = new SplittableRandom(42);
  private @Nullable Node tail;
  private int levels = 1;
  private int size;

  public int size() {
    return size;
  }

  public @Nullable Node first() {
    return head.next[0];
  }

  public @Nullable Node last() {
    return tail;
  }

  /** The member must not be present. */
  public Node insert(byte[] member, double score) {
    Node[] update = new Node[MAX_LEVEL];
    int[] rank = new int[MAX_LEVEL];
    Node x = head;
    for (int i = levels - 1; i >= 0; i--) {
      rank[i] = i == levels - 1 ? 0 : rank[i + 1];
      for (Node n = x.next[i]; n != null && n.before(score, member); n = x.next[i]) {
        rank[i] += x.span[i];
        x = n;
      }
      update[i] = x;
    }
    int level = 1;
    while (level < MAX_LEVEL && random.nextInt(4) == 0) {
      level++;
    }
    for (; levels < level; levels++) {
      update[levels] = head;
      head.span[levels] = size;
    }
    Node added = new Node(member, score, level);
    for (int i = 0; i < level; i++) {
      added.next[i] = update[i].next[i];
      update[i].next[i] = added;
      added.span[i] = update[i].span[i] - (rank[0] - rank[i]);
      update[i].span[i] = rank[0] - rank[i] + 1;
    }
    for (int i = level; i < levels; i++) {
      update[i].span[i]++;
    }
    added.previous = update[0] == head ? null : update[0];
    Node after = added.next[0];
    if (after == null) {
      tail = added;
    } else {
      after.previous = added;
    }
    size++;
    return added;
  }

  public void remove(Node node) {
    Node x = head;
    for (int i = levels - 1; i >= 0; i--) {
      for (Node n = x.next[i]; n != null && n.before(node.score, node.member); n = x.next[i]) {
        x = n;
      }
      if (x.next[i] == node) {
        x.span[i] += node.span[i] - 1;
        x.next[i] = node.next[i];
      } else {
        x.span[i]--;
      }
    }
    Node after = node.next[0];
    if (after == null) {
      tail = node.previous;
    } else {
      after.previous = node.previous;
    }
    while (levels > 1 && head.next[levels - 1] == null) {
      levels--;
    }
    size--;
  }

  /** Zero for the smallest. */
  public int rank(Node node) {
    int rank = 0;
    Node x = head;
    for (int i = levels - 1; i >= 0; i--) {
      for (Node n = x.next[i];
          n != null && (n == node || n.before(node.score, node.member));
          n = x.next[i]) {
        rank += x.span[i];
        x = n;
      }
    }
    return rank - 1;
  }

  public @Nullable Node byRank(int rank) {
    int passed = -1;
    Node x = head;
    for (int i = levels - 1; i >= 0; i--) {
      for (Node n = x.next[i]; n != null && passed + x.span[i] <= rank; n = x.next[i]) {
        passed += x.span[i];
        x = n;
      }
      if (passed == rank) {
        return x;
      }
    }
    return null;
  }

  /** Whether a member lies before the wished range; used for a descent to the range's start. */
  public interface Before {
    boolean test(Node node);
  }

  /** The first member that is not before the range. */
  public @Nullable Node firstNot(Before before) {
    Node x = head;
    for (int i = levels - 1; i >= 0; i--) {
      for (Node n = x.next[i]; n != null && before.test(n); n = x.next[i]) {
        x = n;
      }
    }
    return x.next[0];
  }
}
