package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.readthrough.ReadThroughOptions;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Outages of a real server under a service that asks before each read: how soon they are noticed
 * and how soon they are over, with the default options; and that no read fails or waits for longer
 * than the limit meanwhile.
 */
@Timeout(180)
class OutagesIT {

  private static final AvailabilityOptions OPTIONS = AvailabilityOptions.defaults();
  private static final Duration DETECTION = OPTIONS.timeout().multipliedBy(2);
  private static final Duration RECOVERY = OPTIONS.interval();
  private static final Duration OUTAGE = Duration.ofMillis(1500);

  /** A machine that is busy with something else is late now and then; three times it is not. */
  private static final int ATTEMPTS = 3;

  /** The time-out of a read, with an allowance for the loader and for the machine. */
  private static final Duration SLOWEST_READ =
      ReadThroughOptions.defaults().readTimeout().plusMillis(300);

  private static final int READERS = 4;

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
    assumeTrue(RealRedis.executable().isPresent(), "no redis-server on the PATH");
  }

  @ParameterizedTest
  @EnumSource
  void outage_isNoticedAndEndsInTime_andNoReadFails(Outage outage) throws Exception {
    try (RealRedis redis = RealRedis.start();
        LatencyProxy proxy = LatencyProxy.builder().target(redis.host(), redis.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port()).availability(OPTIONS).connect()) {
      for (int i = 0; i < 100; i++) {
        sheaf.sync().set("key" + i, "cached");
      }
      sheaf.availability().withTimeout(Duration.ofSeconds(10)).ping();
      Times best = null;
      try (Service service = new Service(sheaf)) {
        service.awaitReads(1_000);
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
          Times times = run(outage, redis, proxy, sheaf, service);
          System.out.println(outage + ", attempt " + attempt + ": " + times);
          best = best == null ? times : best.better(times);
          if (best.isGood()) {
            break;
          }
        }
        assertThat(threads("lettuce-")).as("threads").isLessThanOrEqualTo(POOLED_THREADS);
        assertThat(threads("sheaf-availability")).as("the guard's threads").isEqualTo(1);
      }
      assertThat(best.detection).as("detection").isLessThanOrEqualTo(DETECTION);
      assertThat(best.recovery).as("recovery").isLessThanOrEqualTo(RECOVERY);
      assertThat(best.slowestRead).as("slowest read").isLessThanOrEqualTo(SLOWEST_READ);
      // The data connection, the guard's and the one that asks.
      Await.until(
          "no connection to be left over", Duration.ofSeconds(10), () -> connections(redis) == 3);
    }
  }

  private static Times run(
      Outage outage,
      RealRedis redis,
      LatencyProxy proxy,
      Sheaf<String, String> sheaf,
      Service service)
      throws InterruptedException {
    service.loaded.set(0);
    service.slowest.set(0);
    long begin = System.nanoTime();
    outage.begin(redis, proxy);
    // A crash is over with the call; a halt begins somewhere in it.
    long noticed = watch(() -> !sheaf.availability().isAvailable());
    Duration detection = Duration.ofNanos(noticed - begin);
    long down = watch(() -> sheaf.availability().status().state() == AvailabilityState.DOWN);
    TimeUnit.NANOSECONDS.sleep(begin + OUTAGE.toNanos() - System.nanoTime());
    assertThat(sheaf.availability().isAvailable()).isFalse();
    outage.end(redis, proxy);
    long end = System.nanoTime();
    long recovered = watch(() -> sheaf.availability().isAvailable());
    assertThat(service.failures).isEmpty();
    assertThat(service.loaded.get()).as("reads served by the loader").isPositive();
    Times times =
        new Times(
            detection,
            Duration.ofNanos(down - begin),
            Duration.ofNanos(recovered - end),
            Duration.ofNanos(service.slowest.get()));
    // Reads come from Redis again.
    Await.until(
        "a hit",
        Duration.ofSeconds(10),
        () -> sheaf.readThrough("key0", Duration.ofMinutes(1), key -> "loaded") != null);
    return times;
  }

  private static long watch(BooleanSupplier condition) {
    Await.until(
        "a change",
        Duration.ofSeconds(30),
        () -> {
          long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
          while (System.nanoTime() - until < 0) {
            if (condition.getAsBoolean()) {
              return true;
            }
            TimeUnit.MICROSECONDS.sleep(500);
          }
          return false;
        });
    return System.nanoTime();
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

  private record Times(Duration detection, Duration down, Duration recovery, Duration slowestRead) {

    boolean isGood() {
      return detection.compareTo(DETECTION) <= 0
          && recovery.compareTo(RECOVERY) <= 0
          && slowestRead.compareTo(SLOWEST_READ) <= 0;
    }

    Times better(Times other) {
      return new Times(
          min(detection, other.detection),
          min(down, other.down),
          min(recovery, other.recovery),
          min(slowestRead, other.slowestRead));
    }

    private static Duration min(Duration a, Duration b) {
      return a.compareTo(b) < 0 ? a : b;
    }

    @Override
    public String toString() {
      return "a no after "
          + detection.toMillis()
          + " ms, DOWN after "
          + down.toMillis()
          + " ms, a yes "
          + recovery.toMillis()
          + " ms after the end, slowest read "
          + slowestRead.toMillis()
          + " ms";
    }
  }

  /** Threads that read through Redis all the time. */
  private static final class Service implements AutoCloseable {

    final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    final AtomicInteger loaded = new AtomicInteger();
    final AtomicLong slowest = new AtomicLong();
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
        long begin = System.nanoTime();
        try {
          String value =
              sheaf.readThrough(
                  "key" + i % 100,
                  Duration.ofMinutes(10),
                  key -> {
                    loaded.incrementAndGet();
                    // As long as a database takes.
                    TimeUnit.MILLISECONDS.sleep(2);
                    return "cached";
                  });
          if (!"cached".equals(value)) {
            failures.add("read " + value);
          }
        } catch (RuntimeException e) {
          failures.add(e.toString());
        }
        long took = System.nanoTime() - begin;
        slowest.accumulateAndGet(took, Math::max);
        reads.incrementAndGet();
      }
    }

    void awaitReads(int count) {
      Await.until(count + " reads", Duration.ofSeconds(20), () -> reads.get() >= count);
    }

    @Override
    public void close() {
      stop.set(true);
      for (Thread thread : threads) {
        Await.until(thread.getName() + " to end", Duration.ofSeconds(20), () -> !thread.isAlive());
      }
    }
  }
}
