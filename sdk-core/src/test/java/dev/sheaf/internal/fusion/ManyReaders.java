// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Threads that read at the same time, so that their reads travel together. */
final class ManyReaders {

  private static final int THREADS = 32;

  private ManyReaders() {}

  /** Lets each thread read that many times; fails if one of its reads does. */
  static void run(int reads, Consumer<SplittableRandom> read) throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      SplittableRandom random = new SplittableRandom(t);
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < reads; i++) {
                    read.accept(random);
                  }
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
    assertThat(failure.get()).isNull();
  }
}
