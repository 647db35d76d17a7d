package dev.sheaf.examples.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Many questions in the same moment; counts the answers that came late, or not at all. */
final class PingStorm {

  private final int asks;
  private final long limitNanos;
  private volatile double lateShare;

  PingStorm(int asks, Duration limit) {
    this.asks = asks;
    this.limitNanos = limit.toNanos();
  }

  /** The share of late answers in the latest run. */
  double lateShare() {
    return lateShare;
  }

  /** Asks, waits until each question has its answer or failure, and returns how many have. */
  int run(Supplier<? extends CompletionStage<?>> ask) {
    AtomicInteger late = new AtomicInteger();
    List<CompletableFuture<?>> ends = new ArrayList<>(asks);
    for (int i = 0; i < asks; i++) {
      long asked = System.nanoTime();
      ends.add(
          ask.get()
              .handle(
                  (answer, failure) -> {
                    if (failure != null || System.nanoTime() - asked > limitNanos) {
                      late.incrementAndGet();
                    }
                    return true;
                  })
              .toCompletableFuture());
    }
    ends.forEach(CompletableFuture::join);
    lateShare = (double) late.get() / asks;
    return ends.size();
  }
}
