// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The tables of the page show what the files of recorded runs contain. */
class ChaosRecordTest {

  @Test
  void page_isMadeOfTheFiles() throws Exception {
    assertThat(ChaosPage.read()).isEqualTo(ChaosRecord.filledIn());
    assertThat(ChaosPage.read()).isEqualTo(DeliveryRecord.filledIn());
  }
}
