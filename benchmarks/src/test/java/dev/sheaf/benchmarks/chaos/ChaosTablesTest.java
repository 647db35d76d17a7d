// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.chaos.ChaosPage;
import org.junit.jupiter.api.Test;

/** The page says what the file says. */
class ChaosTablesTest {

  @Test
  void page_isMadeOfTheFile() throws Exception {
    assertThat(ChaosPage.read()).isEqualTo(ChaosTables.filledIn());
  }
}
