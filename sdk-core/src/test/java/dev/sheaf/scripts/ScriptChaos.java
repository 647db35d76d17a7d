// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.chaos.Workers;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.LostWrites.Losses;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Threads that call a script that counts, alone and in batches, while the servers are disturbed;
 * then every single call is compared with what the server counted for it.
 */
final class ScriptChaos {

  static final int THREADS = 32;
  private static final int BATCH = 20;
  private static final Duration LONGEST_CALL = Duration.ofSeconds(60);

  /**
   * How many calls are acknowledged between two disturbances, however busy the machine is: several
   * times what one of them can leave unknown.
   */
  private static final int CALLS_PER_STEP = 500;

  private static final Duration MAX_STEP = Duration.ofSeconds(30);

  /** Says which call it counted, so that a reply that went to another call is seen. */
  private static final Script<String> COUNT =
      Script.of(
              "return KEYS[1] .. ' ' .. ARGV[1] .. ' ' .. redis.call('HINCRBY', KEYS[1], ARGV[1],"
                  + " 1)")
          .named("count")
          .keys(1)
          .args(1)
          .returns(ResultType.TEXT);

  private enum Outcome {
    ACKNOWLEDGED,
    UNKNOWN,
    REFUSED
  }

  /** A call, from when it was sent to when its outcome was known, by the clock of logs. */
  private record Ended(Outcome outcome, long from, long until) {}

  private final Sheaf<String, String> sheaf;
  private final RegisteredScript<String, String> count;
  private final Workers workers = new Workers();
  private final LongAdder acknowledged = new LongAdder();
  private final Map<String, Map<String, Ended>> calls = new ConcurrentHashMap<>();
  private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  ScriptChaos(Sheaf<String, String> sheaf) {
    this.sheaf = sheaf;
    this.count = sheaf.scripts().register(COUNT);
  }

  static ClusterClientOptions refreshing() {
    return ClusterClientOptions.builder()
        .topologyRefreshOptions(
            ClusterTopologyRefreshOptions.builder()
                .enablePeriodicRefresh(Duration.ofMillis(200))
                .build())
        .build();
  }

  /** What disturbs, again and again. */
  interface Disturbance {
    void next(int step) throws Exception;
  }

  /** Lets threads call until the disturbances have had their time, and waits for all of them. */
  void run(Duration time, Disturbance disturbance) throws Exception {
    workers.start(THREADS, "chaos", number -> work("counts:" + number, number % 2 == 0));
    long end = System.nanoTime() + time.toNanos();
    List<Thread> left = List.of();
    try {
      for (int step = 0; System.nanoTime() - end < 0; step++) {
        disturbance.next(step);
        long before = acknowledged.sum();
        Await.until(
            "calls to be acknowledged",
            MAX_STEP,
            () -> acknowledged.sum() - before >= CALLS_PER_STEP || !unexpected.isEmpty());
      }
    } finally {
      left = workers.stop(LONGEST_CALL);
    }
    assertThat(left).isEmpty();
  }

  private void work(String key, boolean batches) {
    Map<String, Ended> mine = new TreeMap<>();
    calls.put(key, mine);
    try {
      for (int i = 0; !workers.isStopped(); i++) {
        if (batches) {
          batch(key, i, mine);
        } else {
          String id = Integer.toString(i);
          mine.put(id, ended(key, id, now(), () -> count.call(List.of(key), id)));
        }
      }
    } catch (RuntimeException | Error e) {
      unexpected.add(e);
    }
  }

  private void batch(String key, int round, Map<String, Ended> mine) {
    Map<String, Deferred<String>> results = new TreeMap<>();
    long from = now();
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < BATCH; i++) {
        String id = round + "/" + i;
        results.put(id, batch.call(count, List.of(key), id));
        batch.add(redis -> redis.exists(key));
      }
      batch.execute();
      results.forEach((id, result) -> mine.put(id, ended(key, id, from, result::get)));
    } catch (RedisException e) {
      // An EXISTS that nobody read failed.
      failures.merge("batch: " + e.getClass().getSimpleName(), 1, Integer::sum);
    }
  }

  private interface Call {
    String make();
  }

  private static long now() {
    return System.currentTimeMillis();
  }

  private Ended ended(String key, String id, long from, Call call) {
    return new Ended(outcome(key, id, call), from, now());
  }

  private Outcome outcome(String key, String id, Call call) {
    try {
      String counted = call.make();
      if (!counted.equals(key + " " + id + " 1")) {
        unexpected.add(new AssertionError("call " + id + " of " + key + " got " + counted));
      }
      acknowledged.increment();
      return Outcome.ACKNOWLEDGED;
    } catch (OutcomeUnknownException | RedisCommandTimeoutException e) {
      failures.merge(e.getClass().getSimpleName(), 1, Integer::sum);
      return Outcome.UNKNOWN;
    } catch (RedisException e) {
      if (String.valueOf(e.getMessage()).contains("NOSCRIPT")) {
        unexpected.add(e);
      }
      failures.merge(e.getClass().getSimpleName() + ": " + e.getMessage(), 1, Integer::sum);
      return Outcome.REFUSED;
    }
  }

  /** Compares each call with what the server has counted for it. */
  void check() {
    check((key, from, until) -> false);
  }

  /**
   * Compares each call with what the server has counted for it.
   *
   * @param serversLost tells of the calls that may be missing; none is doubled for it
   */
  void check(Losses serversLost) {
    assertThat(unexpected).isEmpty();
    List<String> wrong = new ArrayList<>();
    int kept = 0;
    int lost = 0;
    int unknown = 0;
    int refused = 0;
    for (Map.Entry<String, Map<String, Ended>> entry : calls.entrySet()) {
      Map<String, String> counted = sheaf.sync().hgetall(entry.getKey());
      for (Map.Entry<String, Ended> call : entry.getValue().entrySet()) {
        String times = counted.remove(call.getKey());
        Ended ended = call.getValue();
        String where = ended + " call " + call.getKey() + " of " + entry.getKey();
        switch (ended.outcome) {
          case ACKNOWLEDGED -> {
            if (times == null && serversLost.mayHaveLost(entry.getKey(), ended.from, ended.until)) {
              lost++;
            } else if (!"1".equals(times)) {
              wrong.add(where + ": " + times);
            }
            kept++;
          }
          case UNKNOWN -> {
            if (times != null && !times.equals("1")) {
              wrong.add(where + ": " + times);
            }
            unknown++;
          }
          case REFUSED -> {
            if (times != null) {
              wrong.add(where + ": " + times);
            }
            refused++;
          }
        }
      }
      assertThat(counted).as("calls that nobody made, in " + entry.getKey()).isEmpty();
    }
    assertThat(wrong).isEmpty();
    System.out.printf(
        "Script calls acknowledged %,d, of which the servers lost %,d, unknown %,d, refused %,d %s%n",
        kept, lost, unknown, refused, failures);
    assertThat(calls).hasSize(THREADS);
    assertThat(calls.values()).noneMatch(Map::isEmpty);
    assertThat(kept).isGreaterThan(1_000).isGreaterThan(4 * (unknown + refused));
  }
}
