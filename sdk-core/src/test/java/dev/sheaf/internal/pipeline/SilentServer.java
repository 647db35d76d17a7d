// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.QueueFullException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What 256 callers go through who want to write gigabytes to a server that has stopped reading: the
 * queue and the heap stay within the limits, each caller gets an error that says why, and when the
 * server reads again, all goes on.
 */
final class SilentServer {

  private static final int CALLERS = 256;
  private static final int VALUE_BYTES = 8_192;
  private static final int WRITES_PER_CALLER = 1_000;
  private static final int MAX_QUEUED_COMMANDS = 4_000;
  private static final long MAX_QUEUED_BYTES = 16L << 20;
  private static final long MAX_IN_FLIGHT_BYTES = 8L << 20;

  /** Threads, and what their futures, exceptions and stacks take. The attempts are 2 GiB. */
  private static final long ALLOWANCE_BYTES = 96L << 20;

  private final String uri;
  private final Runnable stop;
  private final Runnable goOn;

  /** The largest values that were seen. */
  private final AtomicLong mostCommands = new AtomicLong();

  private final AtomicLong mostBytes = new AtomicLong();

  private final Map<String, AtomicLong> outcomes = new ConcurrentSkipListMap<>();
  private final AtomicReference<Throwable> unexpected = new AtomicReference<>();

  SilentServer(String uri, Runnable stop, Runnable goOn) {
    this.uri = uri;
    this.stop = stop;
    this.goOn = goOn;
  }

  void endure() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    BatchingOptions limits =
        BatchingOptions.builder()
            .maxQueuedCommands(MAX_QUEUED_COMMANDS)
            .maxQueuedBytes(MAX_QUEUED_BYTES)
            .maxInFlightCommands(1_000)
            .maxInFlightBytes(MAX_IN_FLIGHT_BYTES)
            .build();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(uri)
            .batching(limits)
            .commandTimeout(Duration.ofSeconds(2))
            .meterRegistry(registry)
            .connect()) {
      assertThat(sheaf.sync().set("k", "v")).isEqualTo("OK");
      long before = usedBytes();
      stop.run();
      long during = flood(sheaf, registry);
      goOn.run();

      assertThat(unexpected.get()).as("outcomes %s", outcomes).isNull();
      // A refused command is counted for the moment of its refusal, one for each caller at most.
      long atOnce = CALLERS * (VALUE_BYTES + 100L);
      assertThat(mostCommands.get()).isBetween(1_000L, (long) MAX_QUEUED_COMMANDS + CALLERS);
      assertThat(mostBytes.get()).isBetween(MAX_QUEUED_BYTES / 2, MAX_QUEUED_BYTES + atOnce);
      assertThat(outcomes)
          .containsKeys("async QueueFullException", "async RedisCommandTimeoutException");
      assertThat(during - before)
          .as("bytes in use, of which the limits allow for %d", limitBytes())
          .isLessThan(limitBytes() + ALLOWANCE_BYTES);
      Await.until(
          "reads and writes to go on", Duration.ofSeconds(20), () -> isAlive(sheaf, registry));
    }
  }

  /** Requests are kept as bytes in the queue, and in flight once more in the socket's buffer. */
  private static long limitBytes() {
    return MAX_QUEUED_BYTES + 2 * MAX_IN_FLIGHT_BYTES;
  }

  private static boolean isAlive(Sheaf<String, String> sheaf, SimpleMeterRegistry registry) {
    return "OK".equals(sheaf.sync().set("k", "after"))
        && "after".equals(sheaf.sync().get("k"))
        && sheaf.setAll(Map.of("a", "1", "b", "2")).values().stream().allMatch(Result::isPresent)
        && gauge(registry, "sheaf.queue.commands") == 0
        && gauge(registry, "sheaf.queue.size") == 0;
  }

  /** Returns the bytes in use when every caller has tried everything and waits for the rest. */
  private long flood(Sheaf<String, String> sheaf, SimpleMeterRegistry registry) throws Exception {
    String value = "x".repeat(VALUE_BYTES);
    AtomicBoolean over = new AtomicBoolean();
    Thread watch = new Thread(() -> watch(over, registry));
    watch.start();
    CountDownLatch tried = new CountDownLatch(CALLERS);
    CountDownLatch measured = new CountDownLatch(1);
    List<Thread> callers = new ArrayList<>();
    for (int c = 0; c < CALLERS; c++) {
      String key = "key" + c;
      Thread caller = new Thread(() -> call(sheaf, key, value, tried, measured));
      caller.start();
      callers.add(caller);
    }
    assertThat(tried.await(60, TimeUnit.SECONDS)).isTrue();
    long used = usedBytes();
    measured.countDown();
    for (Thread caller : callers) {
      caller.join(60_000);
      assertThat(caller.isAlive()).isFalse();
    }
    over.set(true);
    watch.join();
    return used;
  }

  private void watch(AtomicBoolean over, SimpleMeterRegistry registry) {
    while (!over.get()) {
      mostCommands.accumulateAndGet(gauge(registry, "sheaf.queue.commands"), Math::max);
      mostBytes.accumulateAndGet(gauge(registry, "sheaf.queue.size"), Math::max);
      java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static long gauge(SimpleMeterRegistry registry, String name) {
    return (long) registry.get(name).gauge().value();
  }

  private void call(
      Sheaf<String, String> sheaf,
      String key,
      String value,
      CountDownLatch tried,
      CountDownLatch measured) {
    try {
      List<RedisFuture<String>> pending = new ArrayList<>();
      for (int i = 0; i < WRITES_PER_CALLER; i++) {
        RedisFuture<String> write = sheaf.async().set(key, value);
        if (write.toCompletableFuture().isDone()) {
          count("async", write);
        } else {
          pending.add(write);
        }
      }
      tried.countDown();
      measured.await(60, TimeUnit.SECONDS);
      try {
        sheaf.sync().set(key, value);
      } catch (RuntimeException e) {
        requireExpected(e, e);
        outcome("sync " + e.getClass().getSimpleName());
      }
      for (RedisFuture<String> write : pending) {
        count("async", write);
      }
    } catch (Throwable e) {
      unexpected.compareAndSet(null, e);
    }
  }

  private void count(String how, RedisFuture<String> write) throws Exception {
    try {
      write.get(30, TimeUnit.SECONDS);
      outcome(how + " OK");
    } catch (ExecutionException e) {
      requireExpected(e.getCause(), e);
      outcome(how + " " + e.getCause().getClass().getSimpleName());
    }
  }

  /** A connection that is silent for longer than its commands may take is closed and made anew. */
  private static <E extends Exception> void requireExpected(Throwable cause, E otherwise) throws E {
    if (!(cause instanceof QueueFullException)
        && !(cause instanceof RedisCommandTimeoutException)
        && !(cause instanceof OutcomeUnknownException)) {
      throw otherwise;
    }
  }

  private void outcome(String name) {
    outcomes.computeIfAbsent(name, n -> new AtomicLong()).incrementAndGet();
  }

  /** Heap after a collection, and what Netty holds outside of it. */
  private static long usedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
        + Math.max(0, PlatformDependent.usedDirectMemory());
  }
}
