// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The page says what the file says. */
class ChaosRecordTest {

  @Test
  void page_isMadeOfTheFile() throws Exception {
    assertThat(ChaosPage.read()).isEqualTo(ChaosRecord.filledIn());
  }
}
