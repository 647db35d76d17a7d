// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the list with the JDK's tree, across the splits and joins of its blocks. */
class ScoredMembersTest {

  private static final Comparator<ScoredMembers.Node> ORDER =
      Comparator.comparingDouble(ScoredMembers.Node::score)
          .thenComparing(node -> node.member, Arrays::compareUnsigned);

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1_000_000})
  void randomOperations_fewOrManyEqualScores_keepTheOrderOfATree(int scores) {
    Random random = new Random(scores);
    ScoredMembers list = new ScoredMembers();
    List<ScoredMembers.Node> present = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      present.add(list.insert(Bytes.of("m" + random.nextInt() + "-" + i), random.nextInt(scores)));
    }
    isLikeATree(list, present);
    for (int i = 0; i < 3_000; i++) {
      ScoredMembers.Node node = present.get(random.nextInt(present.size()));
      list.move(node, random.nextInt(scores));
    }
    isLikeATree(list, present);
    while (present.size() > 10) {
      list.remove(present.remove(random.nextInt(present.size())));
      if (present.size() % 500 == 0) {
        isLikeATree(list, present);
      }
    }
    isLikeATree(list, present);
    present.forEach(list::remove);
    isLikeATree(list, List.of());
  }

  private static void isLikeATree(ScoredMembers list, List<ScoredMembers.Node> present) {
    TreeSet<ScoredMembers.Node> tree = new TreeSet<>(ORDER);
    tree.addAll(present);
    List<ScoredMembers.Node> expected = List.copyOf(tree);
    List<ScoredMembers.Node> upwards = new ArrayList<>();
    for (ScoredMembers.Node n = list.first(); n != null; n = n.next()) {
      upwards.add(n);
    }
    List<ScoredMembers.Node> downwards = new ArrayList<>();
    for (ScoredMembers.Node n = list.last(); n != null; n = n.previous()) {
      downwards.add(0, n);
    }
    assertThat(list.size()).isEqualTo(expected.size());
    assertThat(upwards).isEqualTo(expected);
    assertThat(downwards).isEqualTo(expected);
    for (int rank = 0; rank < expected.size(); rank++) {
      ScoredMembers.Node node = expected.get(rank);
      assertThat(list.rank(node)).isEqualTo(rank);
      assertThat(list.byRank(rank)).isSameAs(node);
      assertThat(list.firstNot(other -> ORDER.compare(other, node) < 0)).isSameAs(node);
    }
    assertThat(list.byRank(expected.size())).isNull();
    assertThat(list.firstNot(other -> true)).isNull();
  }
}
