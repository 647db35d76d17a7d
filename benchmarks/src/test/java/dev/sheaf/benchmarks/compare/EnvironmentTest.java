// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"93677.4|93,677", "123.4|123", "12.34|12.3", "1.234|1.23", "0.0244|0.024", "0|0.00"})
  void rounded_anySize_keepsWhatCounts(double value, String text) {
    assertThat(Environment.rounded(value)).isEqualTo(text);
  }
}
