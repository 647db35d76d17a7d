// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The pace of a JVM's topology refreshes, each client's single-flight. */
class PaceTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final FakeClock clock = new FakeClock();

  private Pace pace() {
    return new Pace(SECOND, Duration.ofMillis(200), clock::now, new Random(1));
  }

  private SingleFlight<Void> flight(Supplier<CompletionStage<Void>> refresh, Pace pace) {
    return new SingleFlight<>(refresh, clock, pace, Duration.ofHours(1));
  }

  @Test
  void refreshes_comeOnceASecond_andAreShared() {
    Pace pace = pace();
    int[] began = new int[2];
    List<SingleFlight<Void>> clients =
        List.of(flight(() -> counted(began, 0), pace), flight(() -> counted(began, 1), pace));
    for (int second = 1; second <= 100; second++) {
      for (int i = 0; i < 10; i++) {
        clients.forEach(SingleFlight::join);
        clock.pass(Duration.ofMillis(100));
      }
      assertThat(began[0] + began[1]).isBetween(second - 1, second + 1);
    }
    assertThat(began[0]).as("each has its turn").isBetween(45, 55);
  }

  private static CompletableFuture<Void> counted(int[] began, int client) {
    began[client]++;
    return CompletableFuture.completedFuture(null);
  }

  @Test
  void nextRefresh_waitsForTheEndOfTheOneBefore() {
    Pace pace = pace();
    List<CompletableFuture<Void>> looks = new ArrayList<>();
    SingleFlight<Void> refreshes =
        flight(
            () -> {
              looks.add(new CompletableFuture<>());
              return looks.get(looks.size() - 1);
            },
            pace);
    CompletableFuture<Void> early = refreshes.join();
    clock.pass(SECOND);
    CompletableFuture<Void> late = refreshes.join();
    clock.pass(Duration.ofMinutes(1));
    assertThat(looks).hasSize(1);
    looks.get(0).completeExceptionally(new IllegalStateException("unreachable"));
    assertThat(early).isCompletedExceptionally();
    assertThat(late).isNotDone();
    clock.pass(SECOND);
    assertThat(looks).hasSize(2);
    looks.get(1).complete(null);
    assertThat(late).isCompleted();
  }
}
