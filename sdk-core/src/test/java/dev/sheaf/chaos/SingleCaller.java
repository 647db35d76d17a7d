// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.chaos.ChaosChecker.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A thread with a counter and a value of its own, which blocks for each call. */
final class SingleCaller implements Caller {

  /** Threads that wait for so long between two counts are without service. */
  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private static final int KEYS_READ_AT_ONCE = 20;

  private final ChaosClient client;
  private final Findings findings;
  private final int threads;
  private final String counter;
  private final String value;
  private final ChaosChecker counts;
  private final ChaosChecker values;
  private long counted = System.nanoTime();

  /**
   * One of several threads.
   *
   * @param threads how many there are, whose values it reads, too
   */
  SingleCaller(ChaosClient client, Findings findings, int number, int threads) {
    this.client = client;
    this.findings = findings;
    this.threads = threads;
    this.counter = counter(number);
    this.value = "value:" + number;
    this.counts = new ChaosChecker(findings, counter, ChaosRun.now());
    this.values = new ChaosChecker(findings, value, ChaosRun.now());
  }

  /** The key that this thread counts in. */
  static String counter(int thread) {
    return "count:" + thread;
  }

  @Override
  public int call(Random random) throws Exception {
    int kind = random.nextInt(10);
    if (kind < 3) {
      increment();
      long since = System.nanoTime() - counted;
      counted += since;
      findings.pausedNanos.addAndGet(since > PAUSE_NANOS ? since : 0);
    } else if (kind < 5) {
      long from = ChaosRun.now();
      client.set(value, ChaosChecker.value(value, values.nextValue()));
      values.written(from, ChaosRun.now());
    } else if (kind < 7) {
      readBack();
    } else {
      return readOthers(random);
    }
    return 1;
  }

  private void increment() throws Exception {
    long from = ChaosRun.now();
    try {
      counts.incremented(client.incr(counter), from, ChaosRun.now());
    } catch (Exception e) {
      if (!client.didNotRun(e)) {
        counts.incrementUnknown();
      }
      throw e;
    }
  }

  private void readBack() throws Exception {
    long from = ChaosRun.now();
    long number = ChaosChecker.number(value, client.get(value), findings);
    if (number >= 0) {
      values.readBack(number, from, ChaosRun.now());
    }
  }

  private int readOthers(Random random) throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS_READ_AT_ONCE; i++) {
      keys.add("value:" + random.nextInt(threads));
    }
    List<String> found = client.getAll(keys);
    int answered = 0;
    for (int i = 0; i < keys.size(); i++) {
      ChaosChecker.isOf(keys.get(i), found.get(i), findings);
      answered += found.get(i) == null ? 0 : 1;
    }
    return answered;
  }

  @Override
  public void compare() throws Exception {
    String count = client.get(counter);
    readBack();
    counts.counterIs(count == null ? 0 : Long.parseLong(count));
  }
}
