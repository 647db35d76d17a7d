// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReconnectDelaysTest {

  @Test
  void usualPauses_becomeShortAndRandom() {
    Delay delay = ReconnectDelays.over(Delay.exponential());
    Set<Duration> drawn = new HashSet<>();
    for (int attempt = 1; attempt <= 1_000; attempt++) {
      Duration pause = delay.createDelay(attempt);
      assertThat(pause).isLessThanOrEqualTo(ReconnectDelays.LONGEST);
      drawn.add(pause);
    }
    assertThat(drawn).hasSizeGreaterThan(100);
  }

  @Test
  void chosenPauses_stay() {
    Delay chosen = Delay.constant(Duration.ofSeconds(3));
    assertThat(ReconnectDelays.over(chosen)).isSameAs(chosen);
  }
}
