// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A list of members sorted by score and then by bytes, with access by rank: blocks of at most 256
 * neighbours, and an array of these blocks. A search reads a few cache lines of plain scores. A
 * tree or a skip list would follow a pointer at each step.
 *
 * <p>Not thread-safe.
 */
public final class ScoredMembers {
  private static final int BLOCK_MAX = 256;
  private static final int BLOCK_FIRST = 4;

  /** Two neighbouring blocks are joined up to this size, which leaves room for as many members. */
  private static final int BLOCK_JOINED = BLOCK_MAX / 2;

  /** One member with its score. */
  public static final class Node {
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

    private boolean before(double otherScore, byte[] otherMember) {
      return score < otherScore
          || (score == otherScore && Arrays.compareUnsigned(member, otherMember) < 0);
    }
  }

  private static final class Block {
    double[] scores = new double[BLOCK_FIRST];
    Node[] nodes = new Node[BLOCK_FIRST];
    int size;

    /** How many members of this block lie before the given one. */
    int lowerBound(double score, byte[] member) {
      int low = 0;
      int high = size;
      while (low < high) {
        int middle = (low + high) >>> 1;
        double there = scores[middle];
        if (there < score || (there == score && nodes[middle].before(score, member))) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    void insert(int at, Node node) {
      if (size == scores.length) {
        resize(Math.min(BLOCK_MAX, size * 2));
      }
      System.arraycopy(scores, at, scores, at + 1, size - at);
      System.arraycopy(nodes, at, nodes, at + 1, size - at);
      scores[at] = node.score;
      nodes[at] = node;
      size++;
    }

    void remove(int at) {
      size--;
      System.arraycopy(scores, at + 1, scores, at, size - at);
      System.arraycopy(nodes, at + 1, nodes, at, size - at);
      nodes[size] = NONE;
    }

    private void resize(int capacity) {
      scores = Arrays.copyOf(scores, capacity);
      nodes = Arrays.copyOf(nodes, capacity);
    }

    Block upperHalf() {
      Block upper = new Block();
      int kept = size / 2;
      upper.append(this, kept);
      Arrays.fill(nodes, kept, size, NONE);
      size = kept;
      return upper;
    }

    void append(Block other, int from) {
      int more = other.size - from;
      if (size + more > scores.length) {
        resize(BLOCK_MAX);
      }
      System.arraycopy(other.scores, from, scores, size, more);
      System.arraycopy(other.nodes, from, nodes, size, more);
      size += more;
    }
  }

  /** Fills unused slots, so that removed nodes can be collected. */
  private static final Node NONE = new Node(Bytes.EMPTY, 0);

  private Block[] blocks = {new Block()};
  private double[] lowest = new double[1];
  private int used = 1;
  private @Nullable Node first;
  private @Nullable Node last;
  private int size;

  public int size() {
    return size;
  }

  public @Nullable Node first() {
    return first;
  }

  public @Nullable Node last() {
    return last;
  }

  /**
   * The last block whose first member is not after the given one; the first block if there is none.
   */
  private int blockOf(double score, byte[] member) {
    int low = 1;
    int high = used;
    while (low < high) {
      int middle = (low + high) >>> 1;
      double there = lowest[middle];
      boolean begins =
          there < score
              || (there == score
                  && Arrays.compareUnsigned(blocks[middle].nodes[0].member, member) <= 0);
      if (begins) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** Adds a member, which must not be present. */
  public Node insert(byte[] member, double score) {
    Node added = new Node(member, score);
    insert(added);
    return added;
  }

  /** Changes the score of a member, which must be present. */
  public void move(Node node, double newScore) {
    remove(node);
    node.score = newScore;
    insert(node);
  }

  private void insert(Node added) {
    double score = added.score;
    byte[] member = added.member;
    int b = blockOf(score, member);
    if (blocks[b].size == BLOCK_MAX) {
      split(b);
      b = blockOf(score, member);
    }
    Block block = blocks[b];
    int at = block.lowerBound(score, member);
    link(added, b, at);
    block.insert(at, added);
    if (at == 0) {
      lowest[b] = score;
    }
    size++;
  }

  private void link(Node added, int b, int at) {
    Node before = at > 0 ? blocks[b].nodes[at - 1] : b > 0 ? lastOf(blocks[b - 1]) : null;
    Node after = before == null ? first : before.next;
    added.previous = before;
    added.next = after;
    if (before == null) {
      first = added;
    } else {
      before.next = added;
    }
    if (after == null) {
      last = added;
    } else {
      after.previous = added;
    }
  }

  private static Node lastOf(Block block) {
    return block.nodes[block.size - 1];
  }

  private void split(int b) {
    if (used == blocks.length) {
      blocks = Arrays.copyOf(blocks, used * 2);
      lowest = Arrays.copyOf(lowest, used * 2);
    }
    System.arraycopy(blocks, b + 1, blocks, b + 2, used - b - 1);
    System.arraycopy(lowest, b + 1, lowest, b + 2, used - b - 1);
    Block upper = blocks[b].upperHalf();
    blocks[b + 1] = upper;
    lowest[b + 1] = upper.scores[0];
    used++;
  }

  /** Removes a member, which must be present. */
  public void remove(Node node) {
    int b = blockOf(node.score, node.member);
    Block block = blocks[b];
    int at = block.lowerBound(node.score, node.member);
    block.remove(at);
    if (at == 0) {
      lowest[b] = block.scores[0];
    }
    unlink(node);
    size--;
    if (block.size < BLOCK_JOINED / 2) {
      join(b);
    }
  }

  private void unlink(Node node) {
    Node before = node.previous;
    Node after = node.next;
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

  /** Joins a small block with a neighbour if both together are small. */
  private void join(int b) {
    int left = b + 1 < used ? b : b - 1;
    if (left < 0) {
      return;
    }
    int together = blocks[left].size + blocks[left + 1].size;
    if (together > BLOCK_JOINED && blocks[b].size > 0) {
      return;
    }
    blocks[left].append(blocks[left + 1], 0);
    lowest[left] = blocks[left].scores[0];
    used--;
    System.arraycopy(blocks, left + 2, blocks, left + 1, used - left - 1);
    System.arraycopy(lowest, left + 2, lowest, left + 1, used - left - 1);
    blocks[used] = UNUSED;
  }

  private static final Block UNUSED = new Block();

  /** The rank of a member, 0 for the smallest. */
  public int rank(Node node) {
    int b = blockOf(node.score, node.member);
    int rank = blocks[b].lowerBound(node.score, node.member);
    for (int i = 0; i < b; i++) {
      rank += blocks[i].size;
    }
    return rank;
  }

  /** The member with a rank; null if there is none. */
  public @Nullable Node byRank(int rank) {
    int passed = rank;
    for (int i = 0; i < used && passed >= 0; i++) {
      if (passed < blocks[i].size) {
        return blocks[i].nodes[passed];
      }
      passed -= blocks[i].size;
    }
    return null;
  }

  /** Whether a member lies before a range. */
  public interface Before {
    boolean test(Node node);
  }

  /** The first member that is not before a range; null if there is none. */
  public @Nullable Node firstNot(Before before) {
    int low = 1;
    int high = used;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (before.test(blocks[middle].nodes[0])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    Block block = blocks[low - 1];
    int from = 0;
    int to = block.size;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (before.test(block.nodes[middle])) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    if (from < block.size) {
      return block.nodes[from];
    }
    return block.size == 0 ? null : lastOf(block).next;
  }
}
