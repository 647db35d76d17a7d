// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.benchmarks.rivals.Client;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CompareCommandTest {

  @Test
  void plan_noOptions_isEverythingInFiveRounds() {
    Comparison.Plan plan = parse().plan();

    assertThat(plan.rounds()).isEqualTo(5);
    assertThat(plan.clients()).containsExactly(Client.values());
    assertThat(plan.rows()).extracting(Row::group).contains("gets", "cluster", "open", "loops");
    assertThat(plan.command())
        .isEqualTo("java -jar benchmarks/target/benchmarks.jar compare --rounds 5");
  }

  @Test
  void plan_options_areInTheCommandThatRepeatsIt() {
    Comparison.Plan plan =
        parse(
                "--rows",
                "pages,get-1",
                "--clients",
                "lettuce,sheaf",
                "--rounds",
                "2",
                "--warm-up",
                "3")
            .plan();

    assertThat(plan.rows())
        .extracting(Row::name)
        .containsExactly("get-1", "getall-100", "futures-100");
    assertThat(plan.clients()).containsExactly(Client.LETTUCE, Client.SHEAF);
    assertThat(plan.command())
        .endsWith("compare --rounds 2 --rows pages,get-1 --clients LETTUCE,SHEAF --warm-up 3");
    // Two clients, two rounds: 3 s of warm-up for three kinds of work, and three rows of 4.5 s.
    assertThat(plan.millisInAll()).isEqualTo(2 * 2 * 3 * (3_000 + 4_500));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rounds|0|from 1 to 100, but was 0",
        "--warm-up|0|from 1 to 600 seconds, but was 0",
        "--rows|nothing|but had nothing",
        "--jdk|/nowhere|/nowhere has no bin/java or no release"
      })
  void plan_wrongOption_saysWhatIsAllowed(String option, String value, String message) {
    assertThatThrownBy(() -> parse(option, value).plan())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(option)
        .hasMessageEndingWith(message);
  }

  private static CompareCommand parse(String... args) {
    CompareCommand command = new CompareCommand();
    new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
    return command;
  }
}
