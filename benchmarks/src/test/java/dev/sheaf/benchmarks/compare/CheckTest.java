package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckTest {

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @ParameterizedTest
  @CsvSource({
    "get-1, 100, 120, 130, 0, reached get-1", // Jedis is the fastest
    "get-1, 100, 140, 130, 1, MISSED  get-1",
    "get-64, 100, 400, 230, 0, reached get-64", // Lettuce alone counts
    "getall-100, 9, 10, 9, 0, reached getall-100", // a time
    "getall-100, 9, 8, 9, 1, MISSED  getall-100",
    "busy-2-8, 100, 900, 101, 0, reached busy-2-8"
  })
  void print_row_isHeldAgainstTheRightClient(
      String row, double lettuce, double jedis, double sheaf, int missed, String text) {
    ResultFile file = Results.file("1", row, List.of(lettuce), List.of(jedis), List.of(sheaf));

    assertThat(print(file)).isEqualTo(missed);
    assertThat(said.toString(StandardCharsets.UTF_8)).startsWith(text).hasLineCount(1);
  }

  @Test
  void print_rowWithoutGoal_isLeftOut() {
    assertThat(print(Results.file("1", "loop-100", List.of(1.0), List.of(1.0), List.of(1.0))))
        .isZero();
    assertThat(said.size()).isZero();
  }

  private int print(ResultFile file) {
    return Check.print(file, new PrintStream(said, true, StandardCharsets.UTF_8));
  }
}
