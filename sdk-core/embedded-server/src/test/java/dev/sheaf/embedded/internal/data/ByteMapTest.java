// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteMapTest {
  private static final int PICKS_PER_ENTRY = 1000;

  /** Chi-squared divided by the entries is about 1 if all are equally likely. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10, 100, 500})
  void random_prefersNoEntry(int entries) {
    ByteMap<Boolean> map = new ByteMap<>();
    for (int i = 0; i < entries; i++) {
      map.put(Bytes.of("member:" + i), true);
    }
    SplittableRandom random = new SplittableRandom(7);
    Map<String, Integer> picked = new HashMap<>();
    for (int i = 0; i < entries * PICKS_PER_ENTRY; i++) {
      picked.merge(Bytes.text(Objects.requireNonNull(map.random(random)).key), 1, Integer::sum);
    }
    double chiSquared =
        picked.values().stream()
            .mapToDouble(n -> Math.pow(n - PICKS_PER_ENTRY, 2) / PICKS_PER_ENTRY)
            .sum();
    assertThat(picked).hasSize(entries);
    assertThat(chiSquared).isLessThan(10 + 1.5 * entries);
  }
}
