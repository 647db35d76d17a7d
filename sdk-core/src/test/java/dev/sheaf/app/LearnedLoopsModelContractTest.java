// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;

/**
 * Loops that are learned, with random bodies and other writers, against a model that knows what
 * each read may answer. {@code -Dsheaf.model.reads} sets how many reads each test makes.
 */
@Tag("slow")
class LearnedLoopsModelContractTest {

  private static final long READS = Long.getLong("sheaf.model.reads", 6_000);
  private static final long SEED =
      Long.getLong("sheaf.seed", ThreadLocalRandom.current().nextLong());
  private static final int KEYS = 40;

  /** Each addition takes a lock that two contend for, so there are fewer of them. */
  private static final long MAX_LOCKED_ROUNDS = 100;

  private static final Duration MAX_AGE = Duration.ofMillis(50);

  /** A place that once was of little use goes on, so that there is something to be wrong. */
  private static Sheaf<String, String> learning(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).learnLoops(MAX_AGE, 100).connect();
  }

  private static long hits(Sheaf<String, String> sheaf) {
    return sheaf.loops().stream()
        .map(LoopReport::learned)
        .mapToLong(learned -> learned == null ? 0 : learned.hits())
        .sum();
  }

  private static void print(long reads, Sheaf<String, String> sheaf, long writes) {
    System.out.printf("%,d reads, %,d from windows; %,d writes%n", reads, hits(sheaf), writes);
  }

  private static List<String> ids() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      ids.add(Integer.toString(1_000 + 17 * i, 36));
    }
    return ids;
  }

  private static String key(String id) {
    return "k:" + id;
  }

  private static String hashKey(String id) {
    return "{t}h:" + id + ":all";
  }

  /** What one thread writes in any way, it reads. */
  @ForEachServer
  void randomBodies_readWhatTheModelSays(ServerUnderTest server) {
    System.out.println("LearnedLoopsModelContractTest: -Dsheaf.seed=" + SEED);
    Random random = new Random(SEED);
    try (Sheaf<String, String> sheaf = learning(server)) {
      Model model = new Model(sheaf, random);
      ids().forEach(id -> sheaf.sync().rpush("ids", id));
      while (model.reads < READS) {
        int kind = random.nextInt(Model.KINDS);
        boolean writes = random.nextInt(3) == 0;
        for (String id : model.source()) {
          model.read(id, kind);
          if (random.nextInt(100) == 0) {
            model.readAside();
          }
          if (writes && random.nextInt(8) == 0) {
            model.write();
          }
          if (random.nextInt(200) == 0) {
            break;
          }
        }
      }
      assertThat(hits(sheaf)).as("hits of seed %d", SEED).isGreaterThan(READS / 10);
      print(model.reads, sheaf, model.writes);
    }
  }

  /** One thread's view of what is stored. */
  private static final class Model {

    private static final int KINDS = 7;

    private final Sheaf<String, String> sheaf;
    private final Random random;
    private final List<String> ids = ids();
    private final Map<String, Object> stored = new HashMap<>();
    private long reads;
    private long writes;

    Model(Sheaf<String, String> sheaf, Random random) {
      this.sheaf = sheaf;
      this.random = random;
    }

    List<String> source() {
      List<String> source = sheaf.sync().lrange("ids", 0, -1);
      if (random.nextInt(4) == 0) {
        Collections.shuffle(source, random);
      }
      return source;
    }

    private String randomKey() {
      String id = ids.get(random.nextInt(KEYS));
      return random.nextBoolean() ? key(id) : hashKey(id);
    }

    /** The body of a loop; each kind reads on lines of its own. */
    void read(String id, int kind) {
      String key = key(id);
      String hash = hashKey(id);
      switch (kind) {
        case 0 -> check(key, answer(() -> sheaf.sync().get(key)), string(key));
        case 1 -> {
          check(key, sheaf.sync().exists(key), stored.containsKey(key) ? 1L : 0L);
          check(key, answer(() -> sheaf.sync().get(key)), string(key));
          if (random.nextInt(20) == 0) {
            // A second read of the same key.
            check(key, answer(() -> sheaf.sync().get(key)), string(key));
          }
        }
        case 2 -> check(hash, answer(() -> sheaf.sync().hget(hash, "f")), field(hash));
        case 3 -> check(hash, answer(() -> sheaf.sync().hgetall(hash)), hash(hash));
        case 4 -> check(key, sheaf.sync().ttl(key), stored.containsKey(key) ? -1L : -2L);
        case 5 -> check(key, sheaf.sync().exists(key), stored.containsKey(key) ? 1L : 0L);
        default -> {
          check(hash, answer(() -> sheaf.sync().hgetall(hash)), hash(hash));
          check(key, answer(() -> sheaf.sync().get(key)), string(key));
          check(hash, answer(() -> sheaf.sync().hget(hash, "f")), field(hash));
        }
      }
    }

    void readAside() {
      String key = randomKey();
      switch (random.nextInt(3)) {
        case 0 -> check(key, answer(() -> sheaf.sync().get(key)), string(key));
        case 1 -> sheaf.sync().type(key);
        default -> sheaf.getAll(List.of(key));
      }
    }

    private void check(String key, Object answered, Object expected) {
      reads++;
      if (!Objects.equals(answered, expected)) {
        assertThat(answered)
            .as("%s of seed %d after %d reads", key, SEED, reads)
            .isEqualTo(expected);
      }
    }

    private Object string(String key) {
      return stored.get(key) instanceof Map ? "WRONGTYPE" : stored.get(key);
    }

    private Object field(String key) {
      Object value = stored.get(key);
      return value == null ? null : value instanceof Map<?, ?> map ? map.get("f") : "WRONGTYPE";
    }

    private Object hash(String key) {
      Object value = stored.get(key);
      return value == null ? Map.of() : value instanceof Map ? value : "WRONGTYPE";
    }

    void write() {
      writes++;
      String key = randomKey();
      String value = Long.toString(random.nextLong());
      if (random.nextInt(8) > 0 && key.endsWith(":all")) {
        sheaf.sync().del(key);
        sheaf.async().hset(key, "f", value);
        stored.put(key, Map.of("f", value));
        return;
      }
      switch (random.nextInt(14)) {
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
          if (stored.get(key) instanceof Map) {
            return;
          }
          sheaf.sync().setGet(key, value);
        }
        case 7 -> sheaf.setAll(Map.of(key, value));
        case 8 -> {
          try (var batch = sheaf.batch()) {
            batch.add(redis -> redis.exists(key));
            batch.add(redis -> redis.set(key, value));
          }
        }
        case 9 -> transaction(key, value);
        case 10 -> {
          sheaf.sync().del(key);
          stored.remove(key);
          return;
        }
        case 11 -> {
          sheaf.sync().del(key);
          sheaf.sync().hset(key, "f", value);
          stored.put(key, Map.of("f", value));
          return;
        }
        case 12 -> {
          if (random.nextInt(20) == 0) {
            sheaf.sync().flushall();
            stored.clear();
            ids.forEach(id -> sheaf.sync().rpush("ids", id));
          }
          return;
        }
        default -> {
          sheaf.deleteAll(List.of(key));
          stored.remove(key);
          return;
        }
      }
      stored.put(key, value);
    }

    private void transaction(String key, String value) {
      if (sheaf.isCluster()) {
        sheaf.sync().set(key, value);
        return;
      }
      RedisCommands<String, String> redis = (RedisCommands<String, String>) sheaf.sync();
      redis.multi();
      assertThat(redis.set(key, value)).isNull();
      assertThat(redis.exists(key)).isNull();
      assertThat(redis.get(key)).isNull();
      TransactionResult result = redis.exec();
      assertThat(result.<Object>get(2)).isEqualTo(value);
    }

    private static Object answer(Supplier<?> read) {
      try {
        return read.get();
      } catch (RedisException e) {
        return e.getMessage().split(" ")[0];
      }
    }
  }

  /** Writes of other threads that have returned are seen; those of other clients, in maxAge. */
  @ForEachServer
  void otherWriters_areSeenInTime(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server);
        Sheaf<String, String> foreign = Sheaf.connect(server.uri())) {
      List<String> ids = ids();
      List<Writer> writers = new ArrayList<>();
      Map<String, Writer> byId = new HashMap<>();
      ids.forEach(id -> sheaf.sync().rpush("ids", id));
      AtomicBoolean over = new AtomicBoolean();
      for (int i = 0; i < KEYS; i++) {
        writers.add(new Writer(i % 2 == 0 ? sheaf : foreign, key(ids.get(i)), i % 2 == 0));
        writers.get(i).write();
        byId.put(ids.get(i), writers.get(i));
      }
      CompletableFuture<?> own = start(over, writers.stream().filter(w -> w.own).toList());
      CompletableFuture<?> other = start(over, writers.stream().filter(w -> !w.own).toList());
      long reads = 0;
      try {
        // On: how many come from windows depends on how often the writers run meanwhile.
        while (reads < READS || (hits(sheaf) <= READS / 10 && reads < 50 * READS)) {
          for (String id : sheaf.sync().lrange("ids", 0, -1)) {
            Writer writer = byId.get(id);
            long least = writer.leastNow();
            long value = Long.parseLong(sheaf.sync().get(writer.key));
            if (value < Math.max(least, writer.seen)) {
              assertThat(value).as(writer.key).isGreaterThanOrEqualTo(Math.max(least, writer.seen));
            }
            writer.seen = value;
            reads++;
          }
        }
      } finally {
        over.set(true);
        own.join();
        other.join();
      }
      assertThat(hits(sheaf)).isGreaterThan(READS / 10);
      print(reads, sheaf, writers.stream().mapToLong(writer -> writer.number).sum());
    }
  }

  private static CompletableFuture<?> start(AtomicBoolean over, List<Writer> writers) {
    return CompletableFuture.runAsync(
        () -> {
          while (!over.get()) {
            writers.forEach(Writer::write);
          }
        },
        task -> new Thread(task, "writer").start());
  }

  /** Writes growing numbers to a key. */
  private static final class Writer {

    private final Sheaf<String, String> sheaf;
    private final String key;
    private final boolean own;
    private final AtomicLong returned = new AtomicLong();

    /** What had been written, by when. */
    private final ConcurrentSkipListMap<Long, Long> history = new ConcurrentSkipListMap<>();

    private long number;
    private long seen;

    Writer(Sheaf<String, String> sheaf, String key, boolean own) {
      this.sheaf = sheaf;
      this.key = key;
      this.own = own;
    }

    void write() {
      number++;
      sheaf.sync().set(key, Long.toString(number));
      long now = System.nanoTime();
      returned.set(number);
      history.put(now, number);
      while (history.size() > 2 && history.firstKey() < now - 20 * MAX_AGE.toNanos()) {
        history.pollFirstEntry();
      }
    }

    /** What a read that begins now must see at least. */
    long leastNow() {
      if (own) {
        return returned.get();
      }
      Map.Entry<Long, Long> old = history.floorEntry(System.nanoTime() - MAX_AGE.toNanos());
      return old == null ? 0 : old.getValue();
    }
  }

  /** Two clients add to counters, each addition under a lock: none is lost. */
  @ForEachServer
  void whatIsReadUnderALock_isNotOfBeforeIt(ServerUnderTest server) {
    try (Sheaf<String, String> one = learning(server);
        Sheaf<String, String> two = learning(server)) {
      List<String> ids = ids();
      ids.forEach(id -> one.sync().rpush("ids", id));
      ids.forEach(id -> one.sync().set(key(id), "0"));
      long rounds = Math.min(MAX_LOCKED_ROUNDS, Math.max(3, READS / KEYS / 40));
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(
              () -> addUnderLocks(two, rounds), task -> new Thread(task, "adder").start());
      addUnderLocks(one, rounds);
      other.join();
      for (String id : ids) {
        assertThat(one.async().get(key(id)).toCompletableFuture().join())
            .isEqualTo(Long.toString(2 * rounds));
      }
    }
  }

  private static void addUnderLocks(Sheaf<String, String> sheaf, long rounds) {
    for (long round = 0; round < rounds; round++) {
      // Learns, and leaves the counters in a window.
      for (int i = 0; i < 4; i++) {
        int left = i < 3 ? KEYS : 3;
        for (String id : sheaf.sync().lrange("ids", 0, -1)) {
          if (left-- > 0) {
            sheaf.sync().get(key(id));
          }
        }
      }
      for (String id : ids()) {
        while (sheaf.sync().set("lock", "me", SetArgs.Builder.nx()) == null) {
          Thread.onSpinWait();
        }
        long value = Long.parseLong(sheaf.sync().get(key(id)));
        sheaf.sync().set(key(id), Long.toString(value + 1));
        sheaf.sync().del("lock");
      }
    }
  }
}
