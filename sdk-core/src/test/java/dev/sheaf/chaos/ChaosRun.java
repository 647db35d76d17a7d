// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.chaos.ChaosChecker.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Threads that read and write through one client, and look at each single result. */
final class ChaosRun {

  private final Findings findings;
  private final Duration longestCall;
  private final Workers workers = new Workers();
  private final List<Caller> callers = new ArrayList<>();

  ChaosRun(Findings findings, Duration timeout) {
    this.findings = findings;
    this.longestCall = timeout.plus(ChaosClient.ALLOWANCE);
  }

  /** Begins with threads that block for each call. */
  ChaosRun startSingle(ChaosClient client, int threads) {
    List<Caller> added = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      added.add(new SingleCaller(client, findings, i, threads));
    }
    return start(added, "chaos");
  }

  /** Begins with threads that call for many keys at once. */
  ChaosRun startBulk(BulkClient client, int threads) {
    List<Caller> added = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      added.add(new BulkCaller(client, findings, i, threads));
    }
    return start(added, "chaos-bulk");
  }

  private ChaosRun start(List<Caller> added, String name) {
    callers.addAll(added);
    workers.start(added.size(), name, number -> work(added.get(number), new Random(number)));
    return this;
  }

  /** Ends the threads. */
  void stop() throws InterruptedException {
    workers
        .stop(longestCall)
        .forEach(left -> findings.violated("stuck", left.getName() + " has not come back"));
  }

  /** What the threads of {@link #stop} have to compare, each of them once. */
  List<Caller> callers() {
    return callers;
  }

  /** Milliseconds on the clock that the servers' logs have, too. */
  static long now() {
    return System.currentTimeMillis();
  }

  private void work(Caller caller, Random random) {
    while (!workers.isStopped()) {
      long began = System.nanoTime();
      try {
        findings.checked(caller.call(random));
      } catch (Exception e) {
        findings.failed(e);
      }
      long took = System.nanoTime() - began;
      if (took > longestCall.toNanos()) {
        findings.violated("stuck", "a call took " + took / 1_000_000 + " ms");
      }
    }
  }
}
