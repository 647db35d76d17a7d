// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.chaos.DeliveryRecord;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks order and delivery against a model without batches: each thread owns its keys, so its own
 * commands, in the order of its calls, determine the values that it can read.
 *
 * <p>The number of operations is {@code -Dsheaf.truth.operations}. {@code
 * -Dsheaf.truth.record=true} adds the runs to the documentation.
 */
class DeliveryTruthContractTest {

  private static final int OPERATIONS = Integer.getInteger("sheaf.truth.operations", 30_000);
  private static final int THREADS = 8;
  private static final int KEYS_PER_THREAD = 12;

  /** In a hash that all threads share. */
  private static final int FIELDS_PER_THREAD = 6;

  private static final String HASH = "hash";
  private static final int WINDOW = 200;

  /** So few that a caller is often alone and drives the event loop itself. */
  private static final int FEW = 2;

  private final LongAdder operations = new LongAdder();
  private final LongAdder unanswered = new LongAdder();

  @RegisterExtension
  final AfterTestExecutionCallback recorder =
      test -> {
        if (Boolean.getBoolean("sheaf.truth.record")) {
          DeliveryRecord.add(
              test.getRequiredTestMethod().getName(),
              test.getDisplayName(),
              operations.sum(),
              unanswered.sum(),
              test.getExecutionException().isPresent());
        }
      };

  @ForEachServer
  void reads_returnWhatTheirCallerWroteBefore(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      run(sheaf, false, false);
    }
  }

  @ForEachServer
  void reads_whileCommandsAreCancelled(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      run(sheaf, true, false);
    }
  }

  @ForEachServer
  void reads_withTinyLimits(ServerUnderTest server) throws Exception {
    BatchingOptions tiny =
        BatchingOptions.builder()
            .maxFusedKeys(2)
            .maxInFlightCommands(7)
            .maxInFlightBytes(500)
            .maxBatchBytes(60)
            .build();
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).batching(tiny).connect()) {
      run(sheaf, true, false);
    }
  }

  @ForEachServer
  void reads_ofFewCallers(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      run(sheaf, FEW, OPERATIONS, true, false);
    }
  }

  /** Some commands time out before they run, others afterwards. */
  @ForEachServer(on = Topology.STANDALONE)
  void reads_whileCommandsTimeOut(ServerUnderTest server) throws Exception {
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(server.nodes().get(0).host(), server.nodes().get(0).port())
                .start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .commandTimeout(Duration.ofMillis(25))
                .connect()) {
      AtomicBoolean over = new AtomicBoolean();
      Thread pauser = new Thread(() -> pause(proxy, over));
      pauser.start();
      try {
        run(sheaf, true, false);
      } finally {
        over.set(true);
        pauser.join();
      }
    }
  }

  private static void pause(LatencyProxy proxy, AtomicBoolean over) {
    SplittableRandom random = new SplittableRandom(7);
    while (!over.get()) {
      boolean replies = random.nextBoolean();
      for (boolean on : new boolean[] {true, false}) {
        if (replies) {
          proxy.pauseToClient(on);
        } else {
          proxy.pauseToServer(on);
        }
        java.util.concurrent.locks.LockSupport.parkNanos(
            TimeUnit.MILLISECONDS.toNanos(random.nextInt(10, 60)));
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void reads_whileConnectionsAreCut(ServerUnderTest server) throws Exception {
    whileConnectionsAreCut(server, sheaf -> run(sheaf, true, true));
  }

  /** Fewer operations, because a lone caller shares no batches and takes longer for each. */
  @ForEachServer(on = Topology.STANDALONE)
  void reads_ofFewCallersWhileConnectionsAreCut(ServerUnderTest server) throws Exception {
    whileConnectionsAreCut(server, sheaf -> run(sheaf, FEW, OPERATIONS / 4, true, true));
  }

  private interface Calls {
    void make(Sheaf<String, String> sheaf) throws Exception;
  }

  private static void whileConnectionsAreCut(ServerUnderTest server, Calls calls) throws Exception {
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(server.nodes().get(0).host(), server.nodes().get(0).port())
                .start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .commandTimeout(Duration.ofSeconds(30))
                .connect()) {
      AtomicBoolean over = new AtomicBoolean();
      Thread cutter = new Thread(() -> cut(proxy, over));
      cutter.start();
      try {
        calls.make(sheaf);
      } finally {
        over.set(true);
        cutter.join();
      }
    }
  }

  private static void cut(LatencyProxy proxy, AtomicBoolean over) {
    SplittableRandom random = new SplittableRandom(7);
    while (!over.get()) {
      java.util.concurrent.locks.LockSupport.parkNanos(
          TimeUnit.MILLISECONDS.toNanos(random.nextInt(20, 120)));
      if (random.nextBoolean()) {
        proxy.dropConnections();
      } else {
        proxy.resetConnections();
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void increments_runOnceOrFailWithUnknownOutcome(ServerUnderTest server) throws Exception {
    countWhileConnectionsAreCut(server, THREADS, 50);
  }

  @ForEachServer(on = Topology.STANDALONE)
  void increments_ofALoneCaller(ServerUnderTest server) throws Exception {
    countWhileConnectionsAreCut(server, 1, 1);
  }

  /** Each acknowledged INCR must have run exactly once: a counter shows loss and repetition. */
  private void countWhileConnectionsAreCut(ServerUnderTest server, int threads, int atOnce)
      throws Exception {
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong unknown = new AtomicLong();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Set<Long> seen = ConcurrentHashMap.newKeySet();
    whileConnectionsAreCut(
        server,
        sheaf ->
            inThreads(
                threads,
                failure,
                thread -> {
                  for (int i = 0; i < OPERATIONS / THREADS / 4; i += atOnce) {
                    List<RedisFuture<Long>> counts = new ArrayList<>();
                    for (int j = 0; j < atOnce; j++) {
                      counts.add(sheaf.async().incr("counter"));
                    }
                    for (RedisFuture<Long> count : counts) {
                      operations.increment();
                      try {
                        Long value = count.get(30, TimeUnit.SECONDS);
                        assertThat(seen.add(value)).as("%d was handed out once", value).isTrue();
                        acknowledged.incrementAndGet();
                      } catch (ExecutionException e) {
                        assertThat(e.getCause()).isInstanceOf(OutcomeUnknownException.class);
                        unknown.incrementAndGet();
                        unanswered.increment();
                      }
                    }
                  }
                }));
    assertThat(failure.get()).isNull();
    long counter = Long.parseLong(String.valueOf(server.command("GET", "counter")));
    assertThat(counter).isBetween(acknowledged.get(), acknowledged.get() + unknown.get());
  }

  private void run(Sheaf<String, String> sheaf, boolean cancelling, boolean cut) throws Exception {
    run(sheaf, THREADS, OPERATIONS, cancelling, cut);
  }

  private void run(
      Sheaf<String, String> sheaf, int threads, int operations, boolean cancelling, boolean cut)
      throws Exception {
    long seed = Long.getLong("sheaf.truth.seed", System.nanoTime());
    AtomicReference<Throwable> failure = new AtomicReference<>();
    inThreads(
        threads,
        failure,
        thread ->
            new Caller(sheaf, thread, new SplittableRandom(seed + thread), cancelling, cut)
                .run(operations / threads, threads <= FEW));
    assertThat(failure.get()).as("seed %d", seed).isNull();
  }

  private interface Work {
    void run(int thread) throws Exception;
  }

  private static void inThreads(int count, AtomicReference<Throwable> failure, Work work)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run(number);
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** One thread with its own keys, and the values that each of them can have. */
  private final class Caller {

    private final Sheaf<String, String> sheaf;
    private final int number;
    private final SplittableRandom random;
    private final boolean cancelling;
    private final boolean cut;
    private final List<Set<@Nullable String>> possible = new ArrayList<>();

    /**
     * Values of writes that may have lost their connection. The server can read them from the old
     * connection after the client has opened a new one, so they can run after later commands.
     */
    private final List<Set<String>> unknown = new ArrayList<>();

    private final Deque<Call> calls = new ArrayDeque<>();

    /** Whether the next calls use hash fields. Many do so in a row, so that some HGETs fuse. */
    private boolean hashing;

    private record Call(int key, RedisFuture<?> future, @Nullable String written) {}

    Caller(
        Sheaf<String, String> sheaf,
        int number,
        SplittableRandom random,
        boolean cancelling,
        boolean cut) {
      this.sheaf = sheaf;
      this.number = number;
      this.random = random;
      this.cancelling = cancelling;
      this.cut = cut;
      for (int k = 0; k < KEYS_PER_THREAD + FIELDS_PER_THREAD; k++) {
        Set<@Nullable String> absent = new HashSet<>();
        absent.add(null);
        possible.add(absent);
        unknown.add(new HashSet<>());
      }
    }

    /** Every second key is in one slot per caller, so that some GETs fuse. */
    private String key(int key) {
      return key % 2 == 0 ? "{" + number + "}" + key : number + ":" + key;
    }

    /**
     * Makes random calls and checks their replies.
     *
     * @param mostlyAlone whether most calls wait for their replies at once
     */
    void run(int operations, boolean mostlyAlone) throws Exception {
      for (int i = 0; i < operations; i++) {
        call(i);
        int window = mostlyAlone && random.nextInt(WINDOW) != 0 ? 1 + random.nextInt(2) : WINDOW;
        while (calls.size() >= window) {
          check(calls.remove());
        }
        if (random.nextInt(500) == 0) {
          while (!calls.isEmpty()) {
            check(calls.remove());
          }
        }
      }
      while (!calls.isEmpty()) {
        check(calls.remove());
      }
    }

    private void call(int operation) {
      if (random.nextInt(16) == 0) {
        hashing = !hashing;
      }
      int key =
          hashing
              ? KEYS_PER_THREAD + random.nextInt(FIELDS_PER_THREAD)
              : random.nextInt(KEYS_PER_THREAD);
      if (random.nextInt(10) < 8) {
        calls.add(new Call(key, read(key), null));
      } else {
        // The value names its key, to tell a mixed-up reply from a stale one.
        String value = key(key) + "#" + operation;
        calls.add(new Call(key, write(key, value), value));
      }
      if (cancelling && random.nextInt(20) == 0) {
        calls.getLast().future().cancel(true);
      }
    }

    private RedisFuture<String> read(int key) {
      return key < KEYS_PER_THREAD
          ? sheaf.async().get(key(key))
          : sheaf.async().hget(HASH, key(key));
    }

    private RedisFuture<?> write(int key, String value) {
      return key < KEYS_PER_THREAD
          ? sheaf.async().set(key(key), value)
          : sheaf.async().hset(HASH, key(key), value);
    }

    private void check(Call call) throws Exception {
      Set<@Nullable String> values = possible.get(call.key());
      operations.increment();
      try {
        Object reply = call.future().get(60, TimeUnit.SECONDS);
        if (call.written() == null) {
          if (!values.contains(reply)) {
            assertThat(unknown.get(call.key()))
                .as("%s may hold one of %s, or what may run yet", key(call.key()), values)
                .contains((String) reply);
          }
          values.clear();
          values.add((String) reply);
        } else {
          values.clear();
          values.add(call.written());
        }
      } catch (CancellationException | ExecutionException e) {
        boolean expected =
            e instanceof CancellationException
                || e.getCause() instanceof ConnectionLostException
                || e.getCause() instanceof RedisCommandTimeoutException
                || e.getCause() instanceof CancellationException;
        assertThat(expected).as("an expected failure, not %s", e.getCause()).isTrue();
        unanswered.increment();
        if (call.written() != null) {
          values.add(call.written());
          if (cut) {
            unknown.get(call.key()).add(call.written());
          }
        }
      }
    }
  }
}
