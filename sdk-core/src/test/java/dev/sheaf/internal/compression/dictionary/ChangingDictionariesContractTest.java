// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * Random reads and writes while dictionaries are trained, replaced and deleted, and clients of both
 * formats come and go: each read gives what was written, or an error that says what is missing.
 *
 * <p>{@code -Dsheaf.dictionaryOperations=10000000} makes it longer.
 */
@Tag("slow")
class ChangingDictionariesContractTest {

  private static final int OPERATIONS = Integer.getInteger("sheaf.dictionaryOperations", 40_000);
  private static final int THREADS = 4;
  private static final int KEYS = 400;
  private static final int CHANGES = Math.max(16, OPERATIONS / 20_000);

  private final AtomicLong wrong = new AtomicLong();
  private final AtomicLong right = new AtomicLong();
  private final Map<Reason, AtomicLong> typed = new EnumMap<>(Reason.class);
  private final Set<String> dictionaries = new HashSet<>();

  /** How many operations each thread has ended. */
  private final AtomicLongArray ended = new AtomicLongArray(THREADS);

  private volatile List<Sheaf<String, String>> clients = List.of();
  private volatile int generation;

  @ForEachServer
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void readsAreRightOrSayWhatIsMissing(ServerUnderTest server) throws Exception {
    for (Reason reason : Reason.values()) {
      typed.put(reason, new AtomicLong());
    }
    try {
      clients = List.of(writer(server), writer(server), reader(server), older(server));
      long started = System.nanoTime();
      List<CompletableFuture<Void>> threads = new ArrayList<>();
      AtomicLong done = new AtomicLong();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        threads.add(run(() -> work(thread, done)));
      }
      CompletableFuture<Void> all =
          CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new));
      Random random = new Random(1);
      for (int change = 0; change < CHANGES && !all.isDone(); change++) {
        long next = (long) OPERATIONS * (change + 1) / (CHANGES + 2);
        while (done.get() < next && !all.isDone()) {
          Thread.onSpinWait();
          Thread.yield();
        }
        List<Sheaf<String, String>> before = clients;
        change(server, change, random);
        for (DictionaryInfo dictionary : writer().dictionaries().list()) {
          dictionaries.add(dictionary.id());
        }
        awaitNextOperations(all);
        before.stream().filter(client -> !clients.contains(client)).forEach(Sheaf::close);
      }
      all.get(6, TimeUnit.HOURS);
      System.out.printf(
          "%s: %,d operations, %,d changes, %,d reads right, %d wrong, unreadable %s, %d"
              + " dictionaries, %d s%n",
          server,
          done.get(),
          CHANGES,
          right.get(),
          wrong.get(),
          typed,
          dictionaries.size(),
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started));
      assertThat(wrong.get()).isZero();
      assertThat(right.get()).isGreaterThan(OPERATIONS / 10);
      typed.forEach(
          (reason, count) -> {
            if (reason != Reason.LOST_DICTIONARY
                && reason != Reason.UNLOADED_DICTIONARY
                && reason != Reason.UNKNOWN_VERSION) {
              assertThat(count.get()).as("%s", reason).isZero();
            }
          });
    } finally {
      clients.forEach(Sheaf::close);
    }
  }

  private Sheaf<String, String> writer() {
    return clients.get(0);
  }

  private interface Body {
    void run() throws Exception;
  }

  private static CompletableFuture<Void> run(Body body) {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run();
                outcome.complete(null);
              } catch (Throwable e) {
                outcome.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return outcome;
  }

  /** Waits until no thread uses a client that it took before. */
  private void awaitNextOperations(CompletableFuture<Void> all) {
    for (int thread = 0; thread < THREADS; thread++) {
      long before = ended.get(thread);
      while (ended.get(thread) < before + 2 && !all.isDone()) {
        Thread.yield();
      }
    }
  }

  /** Deletes what is stored, or lets another client come, or other values be written. */
  private void change(ServerUnderTest server, int number, Random random) {
    switch (number % 4) {
      case 0 -> {
        generation++;
        writer().sync().del(DictionaryStore.KEY + ":current");
        clients = List.of(writer(server), writer(), reader(server), clients.get(3));
      }
      case 1 -> {
        writer().sync().del(DictionaryStore.KEY);
        clients = List.of(writer(), clients.get(1), reader(server), clients.get(3));
      }
      case 2 -> {
        clients = List.of(writer(), clients.get(1), reader(server), clients.get(3));
        writer().dictionaries().refresh();
      }
      default -> {
        // The older client's lease ends and begins again.
        if (random.nextBoolean()) {
          writer().sync().del(DictionaryStore.KEY + ":readers:1");
        } else {
          clients.get(3).dictionaries().refresh();
        }
        clients.forEach(client -> client.dictionaries().refresh());
      }
    }
    // The older client renews its lease from time to time; mostly it is as if it held none.
    writer().sync().del(DictionaryStore.KEY + ":readers:1");
    clients.get(number % 2).dictionaries().refresh();
  }

  private void work(int thread, AtomicLong done) throws Exception {
    Random random = new Random(thread);
    Map<String, String> expected = new HashMap<>();
    while (done.getAndIncrement() < OPERATIONS) {
      String key = "orders:" + thread + ":" + random.nextInt(KEYS);
      List<Sheaf<String, String>> now = clients;
      Sheaf<String, String> client = now.get(random.nextInt(now.size()));
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          String value = value(random);
          client = now.get(random.nextInt(2));
          client.sync().set(key, value);
          expected.put(key, value);
        }
        case 3 -> {
          String value = value(random);
          client.sync().hset("orders:hash:" + thread, key, value);
          expected.put("field " + key, value);
        }
        case 4 -> {
          Sheaf<String, String> reading = client;
          check(
              expected.get("field " + key),
              () -> reading.sync().hget("orders:hash:" + thread, key));
        }
        case 5 -> {
          Result<String> result = client.getAll(List.of(key)).get(key);
          check(
              expected.get(key),
              () -> {
                if (result instanceof Result.Failure<String> failure) {
                  throw new ExecutionException(failure.error());
                }
                return result.orNull();
              });
        }
        case 6 -> {
          Sheaf<String, String> reading = client;
          check(expected.get(key), () -> reading.async().get(key).get(2, TimeUnit.MINUTES));
        }
        default -> {
          Sheaf<String, String> reading = client;
          check(expected.get(key), () -> reading.sync().get(key));
        }
      }
      ended.incrementAndGet(thread);
    }
  }

  private interface Read {
    @Nullable String value() throws Exception;
  }

  private void check(@Nullable String expected, Read read) throws Exception {
    try {
      String value = read.value();
      if (java.util.Objects.equals(value, expected)) {
        right.incrementAndGet();
      } else {
        wrong.incrementAndGet();
      }
    } catch (Exception e) {
      Throwable cause = e;
      while (cause != null && !(cause instanceof UnreadableValueException)) {
        cause = cause.getCause();
      }
      if (cause == null) {
        throw e;
      }
      java.util.Objects.requireNonNull(typed.get(((UnreadableValueException) cause).reason()))
          .incrementAndGet();
    }
  }

  private String value(Random random) {
    String order = Orders.order(random.nextInt(1_000_000));
    return switch (generation % 3) {
      case 0 -> order;
      case 1 -> order.replace('"', '\'').replace("unitPrice", "preisProStueck");
      default -> new StringBuilder(order).reverse().toString();
    };
  }

  private Sheaf<String, String> writer(ServerUnderTest server) {
    return open(
        server,
        DictionaryOptions.builder()
            .samples(300)
            .maxNanosPerSavedByte(Integer.MAX_VALUE)
            .lease(Duration.ofSeconds(20))
            .build());
  }

  private Sheaf<String, String> reader(ServerUnderTest server) {
    return open(server, DictionaryOptions.readOnly());
  }

  private Sheaf<String, String> older(ServerUnderTest server) {
    return open(server, DictionaryOptions.none());
  }

  private Sheaf<String, String> open(ServerUnderTest server, DictionaryOptions dictionaries) {
    return Sheaf.builder(server.uri())
        .compression(
            CompressionOptions.builder()
                .policies(CompressionPolicy.of("orders:", Compressor.snappy()))
                .dictionaries(dictionaries)
                .build())
        .connect();
  }
}
