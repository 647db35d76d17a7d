package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What asking costs, and how long it takes while big values fill the data connection. */
@Timeout(180)
class AvailabilityLoadIT {

  private static final long LIMIT_NANOS = AvailabilityOptions.defaults().timeout().toNanos();
  private static final int VALUE_BYTES = 1 << 20;
  private static final int IN_FLIGHT = 192;
  private static final int ASKERS = 4;
  private static final Duration PHASE = Duration.ofSeconds(4);
  private static final byte[] KEY = "big".getBytes(StandardCharsets.UTF_8);

  private RealRedis redis;

  @BeforeAll
  static void needsRedis() {
    assumeTrue(RealRedis.executable().isPresent(), "no redis-server on the PATH");
  }

  @BeforeEach
  void start() {
    redis = RealRedis.start();
  }

  @AfterEach
  void stop() {
    redis.stop();
  }

  @Test
  void asksOverTheLimit_underBigValues_areATwentiethOfTheNaiveOnes() throws Exception {
    RedisClient plain = RedisClient.create(redis.uri());
    try (Sheaf<byte[], byte[]> sheaf =
        Sheaf.builder(redis.uri())
            .codec(ByteArrayCodec.INSTANCE)
            .availability(AvailabilityOptions.defaults())
            .connect()) {
      StatefulRedisConnection<byte[], byte[]> shared = plain.connect(ByteArrayCodec.INSTANCE);
      sheaf.sync().set(KEY, new byte[VALUE_BYTES]);
      Availability<byte[]> availability = sheaf.availability();
      Asks naive = new Asks();
      Asks cached = new Asks();
      Asks fresh = new Asks();
      for (int round = 0; round < 2; round++) {
        underLoad(() -> shared.async().get(KEY), naive, () -> "PONG".equals(shared.sync().ping()));
        underLoad(() -> sheaf.async().get(KEY), cached, availability::isAvailable);
        underLoad(() -> sheaf.async().get(KEY), fresh, () -> !availability.ping().isNegative());
      }
      System.out.println("PING on the shared connection: " + naive);
      System.out.println("isAvailable():                 " + cached);
      System.out.println("ping():                        " + fresh);
      assertThat(naive.shareOver()).as("the load saturates").isGreaterThan(0.02);
      assertThat(cached.shareOver()).isLessThanOrEqualTo(naive.shareOver() / 20);
      // A PING has to pass the server and the two processors of a small machine, which are full.
      assertThat(fresh.shareOver()).isLessThan(naive.shareOver());
    } finally {
      plain.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private static void underLoad(
      Supplier<CompletionStage<byte[]>> read, Asks asks, Supplier<Boolean> ask)
      throws InterruptedException {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger open = new AtomicInteger();
    for (int i = 0; i < IN_FLIGHT; i++) {
      keepReading(read, stop, open);
    }
    List<Thread> askers = new ArrayList<>();
    for (int i = 0; i < ASKERS; i++) {
      Thread asker = new Thread(() -> asks.run(stop, ask));
      asker.start();
      askers.add(asker);
    }
    TimeUnit.NANOSECONDS.sleep(PHASE.toNanos());
    stop.set(true);
    for (Thread asker : askers) {
      asker.join();
    }
    Await.until("the last reads to end", Duration.ofSeconds(30), () -> open.get() == 0);
  }

  private static void keepReading(
      Supplier<CompletionStage<byte[]>> read, AtomicBoolean stop, AtomicInteger open) {
    open.incrementAndGet();
    read.get()
        .whenComplete(
            (value, failure) -> {
              open.decrementAndGet();
              if (!stop.get()) {
                keepReading(read, stop, open);
              }
            });
  }

  /** Counts asks and those that took longer than the limit, or had no answer. */
  private static final class Asks {

    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final AtomicInteger all = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private final AtomicInteger yes = new AtomicInteger();

    void run(AtomicBoolean stop, Supplier<Boolean> ask) {
      while (!stop.get()) {
        long begin = System.nanoTime();
        boolean answer;
        try {
          answer = ask.get();
        } catch (RuntimeException e) {
          answer = false;
        }
        long took = System.nanoTime() - begin;
        all.incrementAndGet();
        yes.addAndGet(answer ? 1 : 0);
        over.addAndGet(took > LIMIT_NANOS ? 1 : 0);
        LockSupport.parkNanos(EVERY_NANOS);
      }
    }

    double shareOver() {
      return (double) over.get() / all.get();
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d asks, %d (%.2f %%) took over 200 ms, %d were told yes",
          all.get(),
          over.get(),
          100 * shareOver(),
          yes.get());
    }
  }

  @Test
  void isAvailable_whenCached_takesNanoseconds_andAllocatesNothing() {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(redis.uri())
            .availability(AvailabilityOptions.defaults().withTimeout(Duration.ofSeconds(10)))
            .connect()) {
      Availability<String> availability = sheaf.availability();
      availability.ping();
      int calls = 2_000_000;
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      double bestNanos = Double.MAX_VALUE;
      double bestBytes = Double.MAX_VALUE;
      for (int round = 0; round < 20; round++) {
        long bytes = threads.getCurrentThreadAllocatedBytes();
        long begin = System.nanoTime();
        int yes = 0;
        for (int i = 0; i < calls; i++) {
          yes += availability.isAvailable() ? 1 : 0;
        }
        double nanos = (double) (System.nanoTime() - begin) / calls;
        double allocated = (double) (threads.getCurrentThreadAllocatedBytes() - bytes) / calls;
        assertThat(yes).isEqualTo(calls);
        bestNanos = Math.min(bestNanos, nanos);
        bestBytes = Math.min(bestBytes, allocated);
      }
      System.out.printf(
          Locale.ROOT, "isAvailable(): %.1f ns, %.4f bytes a call%n", bestNanos, bestBytes);
      assertThat(bestNanos).isLessThanOrEqualTo(50);
      assertThat(bestBytes).isLessThan(0.01);
    }
  }

  @Test
  void hit_costsHardlyMoreThanAGet() {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(redis.uri()).availability(AvailabilityOptions.defaults()).connect()) {
      sheaf.sync().set("key", "value");
      Duration ttl = Duration.ofMinutes(10);
      int rounds = 60;
      double[] ratios = new double[rounds];
      double[] gets = new double[rounds];
      for (int round = -10; round < rounds; round++) {
        // In turns, so that what else the machine does falls on both.
        long get = 0;
        long hit = 0;
        for (int i = 0; i < 20; i++) {
          get += time(() -> sheaf.sync().get("key"));
          hit += time(() -> sheaf.readThrough("key", ttl, key -> "loaded"));
        }
        if (round >= 0) {
          ratios[round] = (double) hit / get;
          gets[round] = get / 2_000.0 / 1_000;
        }
      }
      Arrays.sort(ratios);
      Arrays.sort(gets);
      double median = ratios[rounds / 2];
      System.out.printf(
          Locale.ROOT,
          "GET: %.1f us; hit of a read-through: %+.1f %% (median of %d pairs)%n",
          gets[rounds / 2],
          100 * (median - 1),
          rounds);
      assertThat(median).isLessThan(1.05);
    }
  }

  private static long time(Supplier<String> read) {
    long begin = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      assertThat(read.get() != null).isTrue();
    }
    return System.nanoTime() - begin;
  }
}
