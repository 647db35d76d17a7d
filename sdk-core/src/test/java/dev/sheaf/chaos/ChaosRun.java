package dev.sheaf.chaos;

import dev.sheaf.chaos.ChaosChecker.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads that read and write through one client, and look at each single result. */
final class ChaosRun {

  /** What a call may take beyond the time-out of its commands: pauses of a busy machine. */
  private static final Duration ALLOWANCE = Duration.ofSeconds(10);

  /** Threads that wait for so long between two counts are without service. */
  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private static final int KEYS_READ_AT_ONCE = 20;

  private final ChaosClient client;
  private final Findings findings;
  private final int threads;
  private final Duration timeout;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final List<Thread> running = new ArrayList<>();
  private final List<ChaosChecker> checkers = new ArrayList<>();

  ChaosRun(ChaosClient client, Findings findings, int threads, Duration timeout) {
    this.client = client;
    this.findings = findings;
    this.threads = threads;
    this.timeout = timeout;
  }

  void start() {
    for (int i = 0; i < threads; i++) {
      int number = i;
      ChaosChecker checker = new ChaosChecker(findings, now());
      checkers.add(checker);
      Thread thread = new Thread(() -> work(number, checker), "chaos-" + i);
      running.add(thread);
      thread.start();
    }
  }

  /** Ends the threads, and compares what is there with what they did. */
  void stop() throws Exception {
    stop.set(true);
    for (Thread thread : running) {
      thread.join(timeout.plus(ALLOWANCE).toMillis());
      if (thread.isAlive()) {
        findings.violated("stuck", thread.getName() + " has not come back");
        thread.interrupt();
      }
    }
  }

  /** Looks at the counter and the value of a thread once more; the servers must be well. */
  void compare(int thread) throws Exception {
    String counter = client.get("count:" + thread);
    readBack(thread, checkers.get(thread));
    checkers.get(thread).counterIs(counter == null ? 0 : Long.parseLong(counter));
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }

  private void work(int number, ChaosChecker checker) {
    Random random = new Random(number);
    long counted = System.nanoTime();
    while (!stop.get()) {
      long began = System.nanoTime();
      int kind = random.nextInt(10);
      try {
        if (kind < 3) {
          increment(number, checker);
          long since = System.nanoTime() - counted;
          counted += since;
          findings.pausedNanos.addAndGet(since > PAUSE_NANOS ? since : 0);
        } else if (kind < 5) {
          write(number, checker);
        } else if (kind < 7) {
          readBack(number, checker);
        } else {
          readOthers(random);
        }
        findings.calls.incrementAndGet();
      } catch (Exception e) {
        findings.failed(e);
      }
      long took = System.nanoTime() - began;
      if (took > timeout.plus(ALLOWANCE).toNanos()) {
        findings.violated("stuck", "a call of kind " + kind + " took " + took / 1_000_000 + " ms");
      }
    }
  }

  private void increment(int number, ChaosChecker checker) throws Exception {
    try {
      checker.incremented(client.incr("count:" + number), now());
    } catch (Exception e) {
      if (!client.didNotRun(e)) {
        checker.incrementUnknown();
      }
      throw e;
    }
  }

  private void write(int number, ChaosChecker checker) throws Exception {
    String key = "value:" + number;
    client.set(key, key + "|" + checker.nextValue());
    checker.written(now());
  }

  private void readBack(int number, ChaosChecker checker) throws Exception {
    String key = "value:" + number;
    String value = client.get(key);
    ChaosChecker.isOf(key, value, findings);
    if (value != null && value.startsWith(key + "|")) {
      checker.readBack(Long.parseLong(value.substring(key.length() + 1)), now());
    } else if (value == null) {
      checker.readBack(0, now());
    }
  }

  private void readOthers(Random random) throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS_READ_AT_ONCE; i++) {
      keys.add("value:" + random.nextInt(threads));
    }
    List<String> values = client.getAll(keys);
    for (int i = 0; i < keys.size(); i++) {
      ChaosChecker.isOf(keys.get(i), values.get(i), findings);
    }
  }
}
