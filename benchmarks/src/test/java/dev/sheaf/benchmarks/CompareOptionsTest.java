package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareOptionsTest {

  @Test
  void parse_nothing_givesDefaults() {
    CompareOptions options = CompareOptions.parse();

    assertThat(options.rounds()).isEqualTo(3);
    assertThat(options.scope()).isEqualTo(Scope.FULL);
    assertThat(options.clients()).containsExactly(Client.values());
    assertThat(options.asks("anything")).isTrue();
  }

  @Test
  void parse_everyOption_takesIt() {
    CompareOptions options =
        CompareOptions.parse(
            "--rounds",
            "5",
            "--quick",
            "--only",
            "many-keys,blocking-cluster",
            "--clients",
            "sheaf,JEDIS",
            "--out",
            "some/where");

    assertThat(options.rounds()).isEqualTo(5);
    assertThat(options.scope()).isEqualTo(Scope.QUICK);
    assertThat(options.asks("many-keys-cluster")).isTrue();
    assertThat(options.asks("blocking-cluster-64")).isTrue();
    assertThat(options.asks("blocking-standalone-64")).isFalse();
    assertThat(options.out()).isEqualTo(Path.of("some/where"));
  }

  @Test
  void asks_wordsOfAName_meansWholeWords() {
    CompareOptions options = CompareOptions.parse("--only", "standalone-2,cluster");

    assertThat(options.asks("blocking-standalone-2")).isTrue();
    assertThat(options.asks("blocking-standalone-256")).isFalse();
    assertThat(options.asks("tagged-keys-cluster")).isTrue();
  }

  @Test
  void command_anyOptions_repeatsThem() {
    assertThat(CompareOptions.parse("--rounds", "2", "--quick", "--clients", "SHEAF").command())
        .endsWith("compare --rounds 2 --quick --clients LETTUCE,SHEAF");
    assertThat(CompareOptions.parse("--ways", "loop,READ_AHEAD").command())
        .endsWith("compare --rounds 3 --ways LOOP,READ_AHEAD");
    assertThat(CompareOptions.parse("--only", "a,b", "--targets").command())
        .endsWith("compare --rounds 3 --targets --only a,b");
  }

  @Test
  void parse_clientsWithoutLettuce_keepsWhatRatiosReferTo() {
    assertThat(CompareOptions.parse("--clients", "SHEAF").clients())
        .containsExactly(Client.LETTUCE, Client.SHEAF);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--round 3      | Unknown option --round",
        "--rounds       | --rounds needs a value after it",
        "--rounds zero  | --rounds must be a number from 1 to 100, but was zero",
        "--rounds 0     | --rounds must be a number from 1 to 100, but was 0",
        "--quick --targets | --quick and --targets exclude one another",
        "--virtual-jdk . | --virtual-jdk must be the directory of a JDK, 21 or newer, but was .,"
            + " which has no bin/java or no file named release",
        "--only ,       | --only must name something, but was empty",
        "--ways SIDEWAYS | --ways must be of [MANY_KEY_CALL, FUTURES, PIPELINE, LOOP, READ_AHEAD,"
            + " SIDE_BY_SIDE], but was SIDEWAYS",
        "--clients RADISH | --clients must be of [LETTUCE, LETTUCE_FLUSH_CONSOLIDATION, JEDIS,"
            + " REDISSON, GLIDE, SPRING_DATA_REDIS, SHEAF], but was RADISH",
      })
  void parse_mistake_saysWhatIsAllowed(String arguments, String message) {
    assertThatThrownBy(() -> CompareOptions.parse(arguments.split(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
