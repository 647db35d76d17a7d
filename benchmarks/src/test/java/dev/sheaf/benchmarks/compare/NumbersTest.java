package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {

  @Test
  void median_oddCount_isTheMiddleOne() {
    assertThat(Spread.of(List.of(9.0, 1.0, 5.0)).median()).isEqualTo(5.0);
  }

  @Test
  void median_evenCount_isBetweenTheMiddleTwo() {
    assertThat(Spread.of(List.of(100.0, 1.0, 2.0, 4.0)).median()).isEqualTo(3.0);
  }

  @Test
  void median_nothing_isRefused() {
    assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"93677.4|93,677", "123.4|123", "12.34|12.3", "1.234|1.23", "0.0244|0.024", "0|0.00"})
  void rounded_anySize_keepsWhatCounts(double value, String text) {
    assertThat(Numbers.rounded(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"12.34|12.3/s", "1234|1.2k/s", "93677|94k/s", "999499|999k/s", "1234567|1.23M/s"})
  void rate_anySize_keepsWhatCounts(double perSecond, String text) {
    assertThat(Numbers.rate(perSecond)).isEqualTo(text);
  }
}
