// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Batch;
import dev.sheaf.Sheaf;
import dev.sheaf.internal.pipeline.Lanes;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;

/** Loops with random bodies, against a model that knows what each get must answer. */
@Tag("slow")
class LoopModelContractTest {

  private static final String WRONG_TYPE = "WRONGTYPE";
  private static final int KEYS = 24;

  @ForEachServer
  void randomBodies_seeWhatTheModelSays(ServerUnderTest server) {
    long seed = Long.getLong("sheaf.seed", ThreadLocalRandom.current().nextLong());
    System.out.println("LoopModelContractTest: -Dsheaf.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> model = new HashMap<>();
      for (int round = 0; round < 150; round++) {
        try {
          run(sheaf, model, random, 2);
        } catch (AssertionError e) {
          throw new AssertionError("round " + round + " of seed " + seed, e);
        }
      }
    }
  }

  private static void run(
      Sheaf<String, String> sheaf, Map<String, String> model, SplittableRandom random, int depth) {
    List<String> keys = new ArrayList<>();
    int size = random.nextInt(1, 60);
    for (int i = 0; i < size; i++) {
      keys.add(randomKey(random));
    }
    boolean writes = random.nextBoolean();
    for (String key : sheaf.loop(keys)) {
      int gets = random.nextInt(3);
      for (int i = 0; i < gets; i++) {
        assertThat(get(sheaf, key)).as(key).isEqualTo(model.get(key));
      }
      if (random.nextInt(4) == 0) {
        String other = randomKey(random);
        assertThat(get(sheaf, other)).as(other).isEqualTo(model.get(other));
      }
      if (writes && random.nextInt(5) == 0) {
        write(sheaf, model, random);
      }
      if (depth > 0 && random.nextInt(40) == 0) {
        run(sheaf, model, random, depth - 1);
      }
      if (random.nextInt(50) == 0) {
        break;
      }
    }
  }

  private static String randomKey(SplittableRandom random) {
    int number = random.nextInt(KEYS);
    return (number % 2 == 0 ? "{t}" : "") + "k" + number;
  }

  private static String get(Sheaf<String, String> sheaf, String key) {
    try {
      return sheaf.sync().get(key);
    } catch (RedisException e) {
      return e.getMessage().split(" ")[0];
    }
  }

  private static void write(
      Sheaf<String, String> sheaf, Map<String, String> model, SplittableRandom random) {
    String key = randomKey(random);
    String value = Long.toString(random.nextLong());
    switch (random.nextInt(8)) {
      case 0 -> sheaf.sync().set(key, value);
      case 1 -> sheaf.async().set(key, value);
      case 2 -> CompletableFuture.runAsync(() -> sheaf.sync().set(key, value)).join();
      case 3 -> sheaf.reactive().set(key, value).block();
      case 4 -> sheaf.sync().mset(Map.of(key, value));
      case 5 ->
          sheaf
              .sync()
              .eval(
                  "return redis.call('set', KEYS[1], ARGV[1])",
                  ScriptOutputType.STATUS,
                  new String[] {key},
                  value);
      case 6 -> {
        sheaf.sync().del(key);
        model.remove(key);
        return;
      }
      default -> {
        sheaf.sync().del(key);
        sheaf.sync().lpush(key, value);
        model.put(key, WRONG_TYPE);
        return;
      }
    }
    model.put(key, value);
  }

  /** What any thread of this client has written before a get is what the get answers, or newer. */
  @ForEachServer
  void writesThatHaveReturned_areNeverUnseen(ServerUnderTest server) throws Exception {
    Executor writing = task -> new Thread(task, "writer").start();
    neverMissesWritesOf(server, List.of(writing, writing));
  }

  /** Threads that share a cell share a lane: then reads leave on another one than other writes. */
  @ForEachServer
  void writesBesideAThreadThatSharesTheReadersCell_areNeverUnseen(ServerUnderTest server)
      throws Exception {
    int cell = Lanes.cellOfThread();
    neverMissesWritesOf(
        server,
        List.of(task -> startInCell(cell, task), task -> startInCell((cell + 1) % 256, task)));
  }

  /** Starts threads until one has the cell, which runs the task. */
  private static void startInCell(int cell, Runnable task) {
    AtomicBoolean runs = new AtomicBoolean();
    while (!runs.get()) {
      CompletableFuture<Boolean> isIt = new CompletableFuture<>();
      Runnable ifInCell =
          () -> {
            boolean inCell = Lanes.cellOfThread() == cell;
            isIt.complete(inCell);
            if (inCell) {
              task.run();
            }
          };
      new Thread(ifInCell, "writer").start();
      runs.set(isIt.join());
    }
  }

  private static void neverMissesWritesOf(ServerUnderTest server, List<Executor> writing) {
    int keyCount = 16;
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      AtomicLong[] written = new AtomicLong[keyCount];
      for (int i = 0; i < keyCount; i++) {
        keys.add("k" + i);
        written[i] = new AtomicLong();
        sheaf.sync().set(keys.get(i), "0");
      }
      AtomicBoolean over = new AtomicBoolean();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int w = 0; w < 2; w++) {
        int first = w;
        writers.add(
            CompletableFuture.runAsync(
                () -> {
                  for (long n = 1; !over.get(); n++) {
                    for (int i = first; i < keyCount; i += 2) {
                      if (n % 2 == 0) {
                        sheaf.sync().set(keys.get(i), Long.toString(n));
                      } else {
                        try (Batch<String, String> batch = sheaf.batch()) {
                          String key = keys.get(i);
                          String value = Long.toString(n);
                          batch.get(key);
                          batch.add(redis -> redis.set(key, value));
                        }
                      }
                      written[i].set(n);
                    }
                  }
                },
                writing.get(w)));
      }
      try {
        long end = System.nanoTime() + 2_000_000_000L;
        while (System.nanoTime() - end < 0) {
          int i = 0;
          for (String key : sheaf.loop(keys)) {
            long before = written[i].get();
            assertThat(Long.parseLong(sheaf.sync().get(key))).isGreaterThanOrEqualTo(before);
            i++;
          }
        }
      } finally {
        over.set(true);
        writers.forEach(CompletableFuture::join);
      }
    }
  }
}
