// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Outages of a real server under a service that asks before each read: they are noticed, no read
 * fails and all go on meanwhile, and afterwards everything is as before.
 */
@Timeout(180)
class OutagesIT {

  /** For a machine that is busy with something else. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int READERS = 4;
  private static final int KEYS = 100;

  /** Event loops, computation threads and the timer; Lettuce starts them as it needs them. */
  private static final int POOLED_THREADS =
      DefaultClientResources.DEFAULT_IO_THREADS
          + DefaultClientResources.DEFAULT_COMPUTATION_THREADS
          + 1;

  enum Outage {
    HALT {
      @Override
      void begin(RealRedis redis, LatencyProxy proxy) {
        redis.pause();
      }

      @Override
      void end(RealRedis redis, LatencyProxy proxy) {
        redis.resume();
      }
    },
    CRASH {
      @Override
      void begin(RealRedis redis, LatencyProxy proxy) {
        redis.kill();
      }

      @Override
      void end(RealRedis redis, LatencyProxy proxy) {
        redis.restart();
      }
    },
    CLOSED_CONNECTIONS {
      @Override
      void begin(RealRedis redis, LatencyProxy proxy) {
        proxy.refuse(true);
        proxy.dropConnections();
      }

      @Override
      void end(RealRedis redis, LatencyProxy proxy) {
        proxy.refuse(false);
      }
    },
    RESET_CONNECTIONS {
      @Override
      void begin(RealRedis redis, LatencyProxy proxy) {
        proxy.refuse(true);
        proxy.resetConnections();
      }

      @Override
      void end(RealRedis redis, LatencyProxy proxy) {
        proxy.refuse(false);
      }
    },
    BLACK_HOLE {
      @Override
      void begin(RealRedis redis, LatencyProxy proxy) {
        proxy.blackHole(true);
      }

      @Override
      void end(RealRedis redis, LatencyProxy proxy) {
        proxy.blackHole(false);
      }
    };

    abstract void begin(RealRedis redis, LatencyProxy proxy);

    abstract void end(RealRedis redis, LatencyProxy proxy);
  }

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @ParameterizedTest
  @EnumSource
  void outage_isNoticedAndEnds_andNoReadFails(Outage outage) {
    try (RealRedis redis = RealRedis.start();
        LatencyProxy proxy = LatencyProxy.builder().target(redis.host(), redis.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .availability(AvailabilityOptions.defaults())
                .connect()) {
      for (int i = 0; i < KEYS; i++) {
        sheaf.sync().set("key" + i, "cached");
      }
      sheaf.availability().withTimeout(PATIENCE).ping();
      try (Service service = new Service(sheaf)) {
        service.awaitReads(1_000);
        outage.begin(redis, proxy);
        Availability<String> availability = sheaf.availability();
        Await.until("a no", PATIENCE, () -> !availability.isAvailable());
        Await.until(
            "the node to be down",
            PATIENCE,
            () -> availability.status().state() == AvailabilityState.DOWN);
        int loaded = service.loaded.get();
        service.awaitReads(1_000);
        assertThat(service.loaded.get()).as("reads served by the loader").isGreaterThan(loaded);
        assertThat(availability.isAvailable()).isFalse();
        outage.end(redis, proxy);
        Await.until("a yes", PATIENCE, availability::isAvailable);
        long hits = hits(redis);
        Await.until("reads to come from Redis again", PATIENCE, () -> hits(redis) > hits);
        assertThat(service.failures).isEmpty();
        assertThat(threads("lettuce-")).as("threads").isLessThanOrEqualTo(POOLED_THREADS);
        assertThat(threads("sheaf-availability")).as("the guard's threads").isEqualTo(1);
      }
      // The data connection, the guard's and the one that asks.
      Await.until("no connection to be left over", PATIENCE, () -> connections(redis) == 3);
    }
  }

  private static long threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .count();
  }

  private static long connections(RealRedis redis) {
    try (RespConnection connection = redis.connect()) {
      return connection.text("CLIENT", "LIST").lines().count();
    }
  }

  private static long hits(RealRedis redis) {
    String stats = (String) redis.command("INFO", "stats");
    return stats
        .lines()
        .filter(line -> line.startsWith("keyspace_hits:"))
        .mapToLong(line -> Long.parseLong(line.substring("keyspace_hits:".length())))
        .sum();
  }

  /** Threads that read through Redis all the time. */
  private static final class Service implements AutoCloseable {

    final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    final AtomicInteger loaded = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    Service(Sheaf<String, String> sheaf) {
      for (int i = 0; i < READERS; i++) {
        Thread thread = new Thread(() -> read(sheaf), "reader-" + i);
        thread.start();
        threads.add(thread);
      }
    }

    private void read(Sheaf<String, String> sheaf) {
      for (int i = 0; !stop.get(); i++) {
        try {
          String value =
              sheaf.readThrough(
                  "key" + i % KEYS,
                  Duration.ofMinutes(10),
                  key -> {
                    loaded.incrementAndGet();
                    return "cached";
                  });
          if (!"cached".equals(value)) {
            failures.add("read " + value);
          }
        } catch (RuntimeException e) {
          failures.add(e.toString());
        }
        reads.incrementAndGet();
      }
    }

    /** Waits until there are so many reads more. */
    void awaitReads(int count) {
      int before = reads.get();
      Await.until(count + " reads", PATIENCE, () -> reads.get() - before >= count);
    }

    @Override
    public void close() {
      stop.set(true);
      for (Thread thread : threads) {
        Await.until(thread.getName() + " to end", PATIENCE, () -> !thread.isAlive());
      }
    }
  }
}
