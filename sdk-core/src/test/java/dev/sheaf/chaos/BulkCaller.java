// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.Result;
import dev.sheaf.chaos.ChaosChecker.Findings;
import io.lettuce.core.RedisException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A thread with many counters and values of its own, which calls for all of them at once. */
final class BulkCaller implements Caller {

  static final int KEYS = 200;

  private final BulkClient client;
  private final Findings findings;
  private final List<String> counters;
  private final List<String> values;

  /** The values of all threads of the kind. */
  private final List<List<String>> all;

  /** For each key that the thread writes. */
  private final Map<String, ChaosChecker> own = new HashMap<>();

  /** For each value of any thread, as this one reads it. */
  private final Map<String, ChaosChecker> seen = new HashMap<>();

  /** One of several threads. */
  BulkCaller(BulkClient client, Findings findings, int number, int threads) {
    this.client = client;
    this.findings = findings;
    this.counters = keys(number, "count");
    this.all = IntStream.range(0, threads).mapToObj(thread -> keys(thread, "value")).toList();
    this.values = all.get(number);
    counters.forEach(key -> own.put(key, new ChaosChecker(findings, key, ChaosRun.now())));
    values.forEach(key -> own.put(key, new ChaosChecker(findings, key, ChaosRun.now())));
    for (List<String> keys : all) {
      keys.forEach(key -> seen.put(key, new ChaosChecker(findings, key, ChaosRun.now())));
    }
  }

  /** What the keys of a thread begin with: every second thread has all of its keys in one slot. */
  static String prefix(int thread) {
    return thread % 2 == 0 ? "{bulk:" + thread + "}" : "bulk:" + thread;
  }

  private static List<String> keys(int thread, String kind) {
    return IntStream.range(0, KEYS).mapToObj(i -> prefix(thread) + ":" + kind + ":" + i).toList();
  }

  @Override
  public int call(Random random) throws Exception {
    return switch (random.nextInt(10)) {
      case 0 -> increment(false);
      case 1 -> increment(true);
      case 2, 3 -> write();
      case 4, 5 -> readBack();
      default -> readOthers(all.get(random.nextInt(all.size())));
    };
  }

  private int increment(boolean batch) throws Exception {
    Map<String, Result<Long>> results;
    long from = ChaosRun.now();
    try {
      results = client.incrAll(counters, batch);
    } catch (Exception e) {
      counters.forEach(key -> own.get(key).incrementUnknown());
      throw e;
    }
    long now = ChaosRun.now();
    int answered = 0;
    for (String key : counters) {
      if (results.get(key) instanceof Result.Value<Long> count) {
        own.get(key).incremented(count.value(), from, now);
        answered++;
      } else if (!client.didNotRun(failure(results.get(key)))) {
        own.get(key).incrementUnknown();
      }
    }
    return answered;
  }

  private int write() throws Exception {
    Map<String, String> written = new LinkedHashMap<>();
    values.forEach(key -> written.put(key, ChaosChecker.value(key, own.get(key).nextValue())));
    long from = ChaosRun.now();
    Map<String, Result<Boolean>> results = client.setAll(written);
    long now = ChaosRun.now();
    int answered = 0;
    for (String key : values) {
      if (results.get(key) instanceof Result.Value) {
        own.get(key).written(from, now);
        answered++;
      } else {
        failure(results.get(key));
      }
    }
    return answered;
  }

  private int readBack() throws Exception {
    long from = ChaosRun.now();
    Map<String, Result<String>> results = client.readAll(values);
    long now = ChaosRun.now();
    int answered = 0;
    for (String key : values) {
      if (isAnswered(results.get(key))) {
        long number = ChaosChecker.number(key, results.get(key).orNull(), findings);
        if (number >= 0) {
          own.get(key).readBack(number, from, now);
        }
        answered++;
      }
    }
    return answered;
  }

  private int readOthers(List<String> keys) throws Exception {
    long from = ChaosRun.now();
    Map<String, Result<String>> results = client.readAll(keys);
    long now = ChaosRun.now();
    int answered = 0;
    for (String key : keys) {
      if (isAnswered(results.get(key))) {
        long number = ChaosChecker.number(key, results.get(key).orNull(), findings);
        if (number >= 0) {
          seen.get(key).readOfOther(number, from, now);
        }
        answered++;
      }
    }
    return answered;
  }

  private boolean isAnswered(Result<?> result) {
    if (result.isFailure()) {
      failure(result);
      return false;
    }
    return true;
  }

  private RedisException failure(Result<?> result) {
    if (!(result instanceof Result.Failure<?> failure)) {
      throw new IllegalStateException("neither answered nor failed: " + result);
    }
    findings.failed(failure.error());
    return failure.error();
  }

  @Override
  public void compare() throws Exception {
    long from = ChaosRun.now();
    Map<String, Result<String>> counts = client.readAll(counters);
    Map<String, Result<String>> written = client.readAll(values);
    long now = ChaosRun.now();
    for (String key : counters) {
      String count = counts.get(key).orNull();
      own.get(key).counterIs(count == null ? 0 : Long.parseLong(count));
    }
    for (String key : values) {
      long number = ChaosChecker.number(key, written.get(key).orNull(), findings);
      if (number >= 0) {
        own.get(key).readBack(number, from, now);
      }
    }
  }
}
