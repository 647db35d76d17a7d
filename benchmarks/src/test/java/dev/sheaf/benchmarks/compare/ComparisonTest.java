// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.testkit.RealRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ComparisonTest {

  private static final double TRIAL = 0.1;
  private static final long WARM_UP_MILLIS = 10_000;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir Path folder;

  @Test
  void run_trial_measuresEachRowWithEachClientInEachRound() throws IOException {
    RealRedis.require();
    Path file = folder.resolve("comparison.json");

    ResultFile result =
        comparison(List.of("get-4", "getall-100", "open-50"), Client.LETTUCE, Client.SHEAF)
            .run(file);

    assertThat(new ObjectMapper().readValue(file.toFile(), ResultFile.class)).isEqualTo(result);
    assertThat(result.environment()).containsKeys("Commit", "JVM", "Command", "Trial");
    assertThat(result.rows()).hasSize(3);
    for (ResultFile.Found row : result.rows()) {
      assertThat(row.clients()).as(row.name()).containsOnlyKeys(Client.LETTUCE, Client.SHEAF);
      row.clients()
          .forEach(
              (client, series) -> {
                assertThat(series.scores()).as(row.name() + client).hasSize(2);
                assertThat(series.figures()).containsKeys(Costs.SERVER_CPU, Costs.COMMANDS);
              });
    }
    assertThat(result.rows().get(2).clients().values())
        .allSatisfy(series -> assertThat(series.figures()).containsKeys("p50-us", "p99.9-us"));
  }

  @Test
  void run_clientThatDoesNotStart_isLeftOutWithItsReason() {
    RealRedis.require();
    Programs noGo = new Programs(Programs.ownJdk(), folder.resolve("none"), folder);

    ResultFile result =
        comparison(noGo, List.of("get-1"), Client.RUEIDIS).run(folder.resolve("comparison.json"));

    assertThat(result.environment()).containsKey("Left out: rueidis (Go)");
    assertThat(result.rows().get(0).clients()).isEmpty();
  }

  @Test
  void warmUps_eachKindOfWorkOnEachServer_hasItsWholeTimeInTwoHalves() {
    Comparison.Plan plan =
        plan(1, programs(), List.of("gets", "pages", "open", "cluster"), List.of(Client.LETTUCE));

    List<Order> warmUps = new Comparison(plan, System.out).warmUps();

    assertThat(warmUps)
        .extracting(order -> order.kind() + " " + order.work() + " " + order.threads())
        .containsExactly(
            "STANDALONE GET 1",
            "STANDALONE GET 1",
            "STANDALONE GET 2",
            "STANDALONE GET 16",
            "STANDALONE GET 64",
            "STANDALONE GET 64",
            "STANDALONE GET_ALL 1",
            "STANDALONE GET_ALL 1",
            "STANDALONE GET_EACH 1",
            "STANDALONE GET_EACH 1",
            "CLUSTER GET_ALL 1",
            "CLUSTER GET_ALL 1",
            "CLUSTER GET 1",
            "CLUSTER GET 1",
            "CLUSTER GET 2",
            "CLUSTER GET 8",
            "CLUSTER GET 64",
            "CLUSTER GET 64",
            "STANDALONE OPEN 64",
            "STANDALONE OPEN 64");
    assertThat(warmUps)
        .allSatisfy(
            order -> {
              assertThat(order.warmUpMillis()).isEqualTo(WARM_UP_MILLIS / 2);
              assertThat(order.measuredMillis()).isZero();
            });
    assertThat(plan.millisInAll()).isGreaterThan(warmUps.size() * WARM_UP_MILLIS);
  }

  @Test
  void start_noProgram_saysSo() {
    assertThatThrownBy(
            () -> ClientProcess.start(List.of("/no/such/program"), folder.resolve("log")))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("/no/such/program");
  }

  private Programs programs() {
    return new Programs(Programs.ownJdk(), Path.of("go"), folder);
  }

  private Comparison comparison(List<String> rows, Client... clients) {
    return comparison(programs(), rows, clients);
  }

  private Comparison comparison(Programs programs, List<String> rows, Client... clients) {
    return new Comparison(
        plan(TRIAL, programs, rows, List.of(clients)),
        new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  private Comparison.Plan plan(
      double timeScale, Programs programs, List<String> rows, List<Client> clients) {
    return new Comparison.Plan(
        Row.selected(Row.all(2), rows),
        clients,
        2,
        WARM_UP_MILLIS,
        timeScale,
        programs,
        folder,
        "compare");
  }
}
