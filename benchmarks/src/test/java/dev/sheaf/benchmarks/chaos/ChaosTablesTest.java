package dev.sheaf.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The page says what the file says. */
class ChaosTablesTest {

  @Test
  void page_isMadeOfTheFile() throws Exception {
    assertThat(ChaosTables.page()).isEqualTo(ChaosTables.filledIn());
  }
}
