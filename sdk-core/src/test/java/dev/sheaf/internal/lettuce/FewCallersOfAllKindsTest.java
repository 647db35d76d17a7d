// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.VirtualThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A few callers, of which some drive the event loop, some only look for their replies, and some use
 * futures. Each must read what it has just written: a reply that is lost, late for good or given to
 * another caller shows.
 */
@Tag("slow")
@Timeout(300)
class FewCallersOfAllKindsTest {

  private static final int ROUNDS = 5_000;

  private final List<FutureTask<Void>> calls = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"1, 0, 0", "2, 0, 0", "2, 1, 0", "2, 0, 1", "2, 1, 1"})
  void everyCaller_readsWhatItWrote(int looking, int driving, int futures) throws Exception {
    ForkJoinPool pool = new ForkJoinPool(looking);
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (int i = 0; i < looking; i++) {
        pool.execute(blocking(sheaf));
        if (VirtualThreads.exist()) {
          VirtualThreads.unstarted(blocking(sheaf)).start();
        }
      }
      for (int i = 0; i < driving; i++) {
        new Thread(blocking(sheaf)).start();
      }
      for (int i = 0; i < futures; i++) {
        String key = key();
        new Thread(
                caller(
                    value -> {
                      sheaf.async().set(key, value);
                      return sheaf.async().get(key).get(60, TimeUnit.SECONDS);
                    }))
            .start();
      }
      for (FutureTask<Void> each : calls) {
        each.get();
      }
    } finally {
      pool.shutdown();
    }
  }

  private FutureTask<Void> blocking(Sheaf<String, String> sheaf) {
    String key = key();
    return caller(
        value -> {
          sheaf.sync().set(key, value);
          return sheaf.sync().get(key);
        });
  }

  private String key() {
    return "key:" + calls.size();
  }

  /** Writes a value and reads it. */
  private interface WriteAndRead {
    String call(String value) throws Exception;
  }

  private FutureTask<Void> caller(WriteAndRead both) {
    Callable<Void> all =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            assertThat(both.call("value " + i)).isEqualTo("value " + i);
          }
          return null;
        };
    FutureTask<Void> task = new FutureTask<>(all);
    calls.add(task);
    return task;
  }
}
