// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RowTest {

  private static final List<Row> ALL = Row.all(2);

  @Test
  void all_names_areUnlike() {
    assertThat(ALL).extracting(Row::name).doesNotHaveDuplicates();
    assertThat(ALL).extracting(Row::title).doesNotHaveDuplicates();
  }

  @Test
  void all_twoProcessors_haveTwoAndEightNeighbours() {
    assertThat(ALL)
        .filteredOn(row -> row.neighbours() > 0)
        .extracting(Row::name)
        .containsExactly("busy-2-1", "busy-2-8", "busy-2-64", "busy-8-1", "busy-8-8", "busy-8-64");
  }

  @Test
  void selected_groupsAndNames_inTheirOrder() {
    assertThat(Row.selected(ALL, List.of("cluster", "get-64")))
        .extracting(Row::name)
        .containsExactly(
            "get-64",
            "cluster-getall-100",
            "cluster-1",
            "cluster-2",
            "cluster-4",
            "cluster-8",
            "cluster-64");
    assertThat(Row.selected(ALL, List.of("busy"))).hasSize(6);
    assertThat(Row.selected(ALL, List.of("busy-8"))).hasSize(3);
    assertThat(Row.selected(ALL, List.of())).isEqualTo(ALL);
  }

  @Test
  void selected_unknownWord_saysWhatThereIs() {
    assertThatThrownBy(() -> Row.selected(ALL, List.of("gets", "get")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("groups of [busy-2, busy-8, cluster,")
        .hasMessageEndingWith("but had get");
  }

  @Test
  void line_ofEveryRow_isReadBack() {
    for (Row row : ALL) {
      Order order = row.order().at("redis://127.0.0.1:6379", 1_000, 3_000);

      assertThat(Order.parse(order.line())).isEqualTo(order);
    }
  }

  @Test
  void parse_lineWithoutAWord_saysWhichIsMissing() {
    assertThatThrownBy(() -> Order.parse("work=GET"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs a kind");
  }
}
