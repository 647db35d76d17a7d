// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.Await;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class SingleFlightTest {

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final long NO_AGE = 0;
  private static final long PATIENT = TimeUnit.SECONDS.toNanos(30);

  private final List<CompletableFuture<String>> runs =
      Collections.synchronizedList(new ArrayList<>());
  private EventExecutor thread;
  private Timer timer;

  @BeforeEach
  void startTimer() {
    thread = new DefaultEventExecutor();
    timer =
        (task, nanos) -> {
          thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
          return true;
        };
  }

  @AfterEach
  void stopTimer() {
    thread.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  private SingleFlight<String> flight(Duration spacing) {
    return new SingleFlight<>(this::newRun, timer, Pace.of(spacing), LONGEST);
  }

  private CompletionStage<String> newRun() {
    CompletableFuture<String> run = new CompletableFuture<>();
    runs.add(run);
    return run;
  }

  private static CompletableFuture<String> join(SingleFlight<String> flight, long maxAge) {
    return flight.join(maxAge, PATIENT, () -> new TimeoutException("late"));
  }

  private void awaitRuns(int count) {
    Await.until(count + " runs", Duration.ofSeconds(5), () -> runs.size() == count);
  }

  @Test
  void manyCallers_shareTheRunThatBeginsAfterTheyAsked() throws Exception {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> first = join(flight, NO_AGE);
    List<CompletableFuture<String>> later = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      later.add(join(flight, NO_AGE));
    }
    assertThat(runs).hasSize(1);
    runs.get(0).complete("one");
    assertThat(first.get()).isEqualTo("one");
    awaitRuns(2);
    assertThat(later).noneMatch(CompletableFuture::isDone);
    runs.get(1).complete("two");
    for (CompletableFuture<String> each : later) {
      assertThat(each.get()).isEqualTo("two");
    }
    assertThat(runs).hasSize(2);
  }

  @Test
  void callerWhoAcceptsAnAge_sharesTheRunUnderWay() throws Exception {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> first = join(flight, NO_AGE);
    CompletableFuture<String> second = join(flight, TimeUnit.MINUTES.toNanos(1));
    runs.get(0).complete("one");
    assertThat(first.get()).isEqualTo(second.get()).isEqualTo("one");
    assertThat(runs).hasSize(1);
  }

  @Test
  void runOlderThanTheAcceptedAge_isNotShared() throws Exception {
    SingleFlight<String> flight = flight(Duration.ZERO);
    join(flight, NO_AGE);
    long begun = System.nanoTime();
    long age = TimeUnit.MILLISECONDS.toNanos(5);
    Await.until("the age", Duration.ofSeconds(5), () -> System.nanoTime() - begun > age);
    CompletableFuture<String> second = join(flight, age);
    runs.get(0).complete("one");
    awaitRuns(2);
    runs.get(1).complete("two");
    assertThat(second.get()).isEqualTo("two");
  }

  @Test
  void failedRun_failsAllItsCallersWithTheSameCause_andTheNextCallerStartsANewOne()
      throws Exception {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> first = join(flight, NO_AGE);
    CompletableFuture<String> second = join(flight, PATIENT);
    IllegalStateException cause = new IllegalStateException("broken");
    runs.get(0).completeExceptionally(cause);
    assertThatThrownBy(first::get).hasCause(cause);
    assertThatThrownBy(second::get).hasCause(cause);
    CompletableFuture<String> next = join(flight, PATIENT);
    awaitRuns(2);
    runs.get(1).complete("well");
    assertThat(next.get()).isEqualTo("well");
  }

  @Test
  void actionThatThrows_failsItsCallers() {
    SingleFlight<String> flight =
        new SingleFlight<>(
            () -> {
              throw new IllegalStateException("no action");
            },
            timer,
            Pace.of(Duration.ZERO),
            LONGEST);
    assertThatThrownBy(() -> join(flight, NO_AGE).get()).hasRootCauseMessage("no action");
    assertThat(flight.isBusy()).isFalse();
  }

  @Test
  void actionThatFailsWithAnError_failsItsCallers_andTheNextRunBegins() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    SingleFlight<String> flight =
        new SingleFlight<>(
            () -> {
              if (calls.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("a class of the action");
              }
              return CompletableFuture.completedFuture("well");
            },
            timer,
            Pace.of(Duration.ZERO),
            LONGEST);
    assertThatThrownBy(() -> join(flight, NO_AGE).get(20, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(join(flight, NO_AGE).get(20, TimeUnit.SECONDS)).isEqualTo("well");
  }

  @Test
  void runThatDoesNotEnd_failsItsCallers_andTheNextOneBegins() throws Exception {
    SingleFlight<String> flight =
        new SingleFlight<>(this::newRun, timer, Pace.of(Duration.ZERO), Duration.ofMillis(20));
    CompletableFuture<String> call = join(flight, NO_AGE);
    assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(TimeoutException.class)
        .hasMessageContaining("no outcome within 20 ms");
    assertThat(flight.isBusy()).isFalse();
    CompletableFuture<String> next = join(flight, NO_AGE);
    awaitRuns(2);
    runs.get(0).complete("too late");
    runs.get(1).complete("well");
    assertThat(next.handle((value, failure) -> value == null ? "late" : value).get())
        .isIn("well", "late");
  }

  @Test
  void cancelledCaller_harmsNobody() throws Exception {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> impatient = join(flight, NO_AGE);
    CompletableFuture<String> other = join(flight, PATIENT);
    impatient.cancel(true);
    assertThat(runs.get(0)).isNotDone();
    runs.get(0).complete("one");
    assertThat(other.get()).isEqualTo("one");
    assertThat(impatient).isCancelled();
  }

  @Test
  void callersTimeOut_eachAtItsOwnTime_withoutDisturbingTheOthers() throws Exception {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> patient = join(flight, NO_AGE);
    CompletableFuture<String> late =
        flight.join(PATIENT, TimeUnit.MILLISECONDS.toNanos(60), () -> new TimeoutException("60"));
    CompletableFuture<String> sooner =
        flight.join(PATIENT, TimeUnit.MILLISECONDS.toNanos(20), () -> new TimeoutException("20"));
    assertThatThrownBy(sooner::get).hasRootCauseMessage("20");
    assertThatThrownBy(late::get).hasRootCauseMessage("60");
    assertThat(patient).isNotDone();
    runs.get(0).complete("one");
    assertThat(patient.get()).isEqualTo("one");
  }

  @Test
  void nextRun_beginsNotBeforeTheSpacingIsOver() throws Exception {
    SingleFlight<String> spaced = flight(Duration.ofHours(1));
    CompletableFuture<String> first = join(spaced, NO_AGE);
    runs.get(0).complete("one");
    assertThat(first.get()).isEqualTo("one");
    List<CompletableFuture<String>> later = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      later.add(join(spaced, NO_AGE));
    }
    // A task that the timer was given later has run: what was due before has, too.
    thread.submit(() -> {}).get(20, TimeUnit.SECONDS);
    assertThat(runs).hasSize(1);
    assertThat(later).noneMatch(CompletableFuture::isDone);
    assertThat(spaced.isBusy()).isTrue();
  }

  @Test
  void nextRun_beginsOnceTheSpacingIsOver() throws Exception {
    SingleFlight<String> spaced = flight(Duration.ofMillis(5));
    join(spaced, NO_AGE);
    CompletableFuture<String> second = join(spaced, NO_AGE);
    runs.get(0).complete("one");
    awaitRuns(2);
    runs.get(1).complete("two");
    assertThat(second.get()).isEqualTo("two");
  }

  @Test
  void close_failsThoseWhoWaitAndThoseWhoCome() {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> underWay = join(flight, NO_AGE);
    CompletableFuture<String> behind = join(flight, NO_AGE);
    flight.close(new IllegalStateException("closed"));
    assertThatThrownBy(underWay::get).hasRootCauseMessage("closed");
    assertThatThrownBy(behind::get).hasRootCauseMessage("closed");
    assertThatThrownBy(() -> join(flight, NO_AGE).get()).hasRootCauseMessage("closed");
    runs.get(0).complete("too late");
    assertThat(runs).hasSize(1);
  }

  /**
   * 200,000 racing calls, some cancelled, some impatient, over runs of which some fail: each caller
   * has one outcome, no run overlaps another, and each answer is of a run that began after the
   * call.
   */
  @Test
  void racingCallers_getAnAnswerThatIsNewEnough() throws Exception {
    int threads = 8;
    int callsPerThread = 25_000;
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    AtomicLong count = new AtomicLong();
    SingleFlight<Long> flight =
        new SingleFlight<>(
            () -> {
              if (underWay.incrementAndGet() > 1) {
                overlaps.incrementAndGet();
              }
              long begun = System.nanoTime();
              long number = count.incrementAndGet();
              CompletableFuture<Long> run = new CompletableFuture<>();
              thread.execute(
                  () -> {
                    underWay.decrementAndGet();
                    if (number % 17 == 0) {
                      run.completeExceptionally(new IllegalStateException("run " + number));
                    } else {
                      run.complete(begun);
                    }
                  });
              return run;
            },
            timer,
            Pace.of(Duration.ZERO),
            LONGEST);
    ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    AtomicInteger outcomes = new AtomicInteger();
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService callers = Executors.newFixedThreadPool(threads);
    for (int thread = 0; thread < threads; thread++) {
      callers.execute(
          () -> {
            try {
              start.await();
              List<CompletableFuture<Void>> open = new ArrayList<>();
              for (int i = 0; i < callsPerThread; i++) {
                long asked = System.nanoTime();
                boolean impatient = ThreadLocalRandom.current().nextInt(50) == 0;
                CompletableFuture<Long> call =
                    flight.join(
                        0, impatient ? 1 : PATIENT, () -> new TimeoutException("impatient"));
                open.add(
                    call.handle(
                        (begun, failure) -> {
                          outcomes.incrementAndGet();
                          if (failure == null && begun - asked < 0) {
                            faults.add("an answer of a run that began before the call");
                          }
                          return null;
                        }));
                if (ThreadLocalRandom.current().nextInt(50) == 0) {
                  call.cancel(false);
                }
                if (open.size() == 64) {
                  CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).join();
                  open.clear();
                }
              }
              CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).join();
            } catch (InterruptedException | CompletionException e) {
              faults.add(e.toString());
            }
          });
    }
    start.countDown();
    callers.shutdown();
    assertThat(callers.awaitTermination(50, TimeUnit.SECONDS)).isTrue();
    assertThat(faults).isEmpty();
    assertThat(overlaps).hasValue(0);
    assertThat(outcomes).hasValue(threads * callsPerThread);
    assertThat(count.get()).isLessThan((long) threads * callsPerThread);
    Await.until("the flight to land", Duration.ofSeconds(5), () -> !flight.isBusy());
  }

  @Test
  void waiting_isInterruptible() {
    SingleFlight<String> flight = flight(Duration.ZERO);
    CompletableFuture<String> call = join(flight, NO_AGE);
    Thread.currentThread().interrupt();
    assertThatThrownBy(call::get)
        .isInstanceOf(InterruptedException.class)
        .isNotInstanceOf(ExecutionException.class);
  }
}
