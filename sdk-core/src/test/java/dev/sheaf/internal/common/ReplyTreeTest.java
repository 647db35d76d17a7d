// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplyTreeTest {

  private static final class Tree extends ReplyTree {}

  @Test
  void aHugeCount_takesNoMemoryBeforeItsElementsCome() {
    Tree tree = new Tree();

    for (int depth = 0; depth < 100; depth++) {
      tree.multi(Integer.MAX_VALUE);
    }

    tree.set(1);
    assertThat(tree.get()).isNull();
  }

  @Test
  void aMapOfMoreThanCanBeCounted_isRefused() {
    Tree tree = new Tree();

    assertThatThrownBy(() -> tree.multiMap(Integer.MAX_VALUE))
        .isInstanceOf(ArithmeticException.class);
  }

  @Test
  void whatIsNested_closesWhereItsCountSays() {
    Tree tree = new Tree();

    tree.multi(3);
    tree.multi(0);
    tree.multi(2);
    tree.set(1);
    tree.multi(-1);
    tree.set(ByteBuffer.wrap("end".getBytes(UTF_8)));

    List<?> root = (List<?>) tree.get();
    assertThat(root).hasSize(3);
    assertThat(root.get(0)).isEqualTo(List.of());
    assertThat(root.get(1)).isEqualTo(Arrays.asList(1L, null));
    assertThat((byte[]) root.get(2)).asString(UTF_8).isEqualTo("end");
  }
}
