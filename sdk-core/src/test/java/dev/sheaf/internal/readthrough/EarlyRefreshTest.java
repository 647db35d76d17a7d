// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EarlyRefreshTest {

  @Test
  void earlyRefresh_isLikelierNearTheEnd() {
    EarlyRefresh early = new EarlyRefresh(1, new Random(7));
    assertThat(early.isDue(0)).as("before the first load nothing is known").isFalse();
    early.observe(Duration.ofMillis(100).toNanos());
    assertThat(early.isDue(-1)).as("does not expire").isFalse();
    // The chance is exp(-remaining / duration): 37 % one load's time before the end.
    assertThat(share(early, 100)).isBetween(0.35, 0.39);
    assertThat(share(early, 500)).isBetween(0.004, 0.010);
    assertThat(share(early, 0)).isEqualTo(1);
  }

  private static double share(EarlyRefresh early, long remaining) {
    int due = 0;
    for (int i = 0; i < 20_000; i++) {
      due += early.isDue(remaining) ? 1 : 0;
    }
    return due / 20_000.0;
  }
}
