package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What asking costs, and how long it takes while big values fill the data connection. */
@Tag("slow")
@Timeout(180)
class AvailabilityLoadIT {

  private static final long LIMIT_NANOS = AvailabilityOptions.defaults().timeout().toNanos();
  private static final int VALUE_BYTES = 1 << 20;
  private static final int IN_FLIGHT = 192;
  private static final int ASKS = 10_000;
  private static final int STORMS = 40;

  /** How many answers may be late for each that is late from the pool. */
  private static final double ALLOWED_SHARE = 1.0 / 20;

  /**
   * A machine or a collector that stands still for longer than the limit makes a whole storm late,
   * and one in forty is half of what is allowed. What goes through the data's way is late in every
   * attempt.
   */
  private static final int ATTEMPTS = 4;

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
  void lateAnswers_underBigValues_areATwentiethOfThoseFromAPool() throws Exception {
    RedisClient plain = RedisClient.create(redis.uri());
    try (Sheaf<byte[], byte[]> sheaf =
            Sheaf.builder(redis.uri())
                .codec(ByteArrayCodec.INSTANCE)
                .availability(AvailabilityOptions.defaults())
                .connect();
        StatefulRedisConnection<byte[], byte[]> shared = plain.connect(ByteArrayCodec.INSTANCE);
        Pool pool = new Pool(plain)) {
      sheaf.sync().set(KEY, new byte[VALUE_BYTES]);
      Availability<byte[]> availability = sheaf.availability();
      availability.withTimeout(Duration.ofSeconds(10)).ping();
      boolean saturated = false;
      double smallestShare = Double.MAX_VALUE;
      for (int attempt = 1; attempt <= ATTEMPTS && smallestShare > ALLOWED_SHARE; attempt++) {
        Asks pooled = new Asks();
        Asks queued = new Asks();
        Asks fresh = new Asks();
        Asks cached = new Asks();
        underLoad(() -> shared.async().get(KEY), () -> pooled.storm(pool::ping));
        underLoad(() -> shared.async().get(KEY), () -> queued.storm(() -> shared.async().ping()));
        underLoad(
            () -> sheaf.async().get(KEY),
            () -> {
              for (int i = 0; i < STORMS; i++) {
                fresh.storm(availability::pingAsync);
                cached.storm(
                    () -> {
                      boolean unused = availability.isAvailable();
                      return CompletableFuture.completedFuture(null);
                    });
              }
            });
        System.out.println("PING each from a pool:          " + pooled);
        System.out.println("PING each on the data's own:    " + queued);
        System.out.println("pingAsync():                    " + fresh);
        System.out.println("isAvailable():                  " + cached);
        if (pooled.shareLate() > 0.2) {
          saturated = true;
          assertThat(cached.shareLate()).isLessThanOrEqualTo(ALLOWED_SHARE * pooled.shareLate());
          smallestShare = Math.min(smallestShare, fresh.shareLate() / pooled.shareLate());
        }
      }
      assumeThat(saturated).as("the load keeps PINGs from a pool waiting").isTrue();
      assertThat(smallestShare).as("late of pingAsync()").isLessThanOrEqualTo(ALLOWED_SHARE);
    } finally {
      plain.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private static void underLoad(Supplier<CompletionStage<byte[]>> read, Runnable asks) {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger open = new AtomicInteger();
    AtomicInteger came = new AtomicInteger();
    for (int i = 0; i < IN_FLIGHT; i++) {
      keepReading(read, stop, open, came);
    }
    Await.until("values to flow", Duration.ofSeconds(30), () -> came.get() >= IN_FLIGHT);
    asks.run();
    stop.set(true);
    Await.until("the last reads to end", Duration.ofSeconds(30), () -> open.get() == 0);
  }

  private static void keepReading(
      Supplier<CompletionStage<byte[]>> read,
      AtomicBoolean stop,
      AtomicInteger open,
      AtomicInteger came) {
    open.incrementAndGet();
    read.get()
        .whenComplete(
            (value, failure) -> {
              open.decrementAndGet();
              came.incrementAndGet();
              if (!stop.get()) {
                keepReading(read, stop, open, came);
              }
            });
  }

  /** Each PING on a connection that nobody else uses meanwhile; who finds none waits in line. */
  private static final class Pool implements AutoCloseable {

    private static final int CONNECTIONS = 8;

    private final Deque<StatefulRedisConnection<String, String>> free = new ArrayDeque<>();
    private final Deque<CompletableFuture<String>> line = new ArrayDeque<>();

    Pool(RedisClient client) {
      for (int i = 0; i < CONNECTIONS; i++) {
        free.add(client.connect());
      }
    }

    CompletionStage<String> ping() {
      CompletableFuture<String> answer = new CompletableFuture<>();
      StatefulRedisConnection<String, String> connection;
      synchronized (this) {
        connection = free.poll();
        if (connection == null) {
          line.add(answer);
          return answer;
        }
      }
      send(connection, answer);
      return answer;
    }

    private void send(
        StatefulRedisConnection<String, String> connection, CompletableFuture<String> answer) {
      connection
          .async()
          .ping()
          .whenComplete(
              (pong, failure) -> {
                CompletableFuture<String> next;
                synchronized (this) {
                  next = line.poll();
                  if (next == null) {
                    free.add(connection);
                  }
                }
                if (next != null) {
                  send(connection, next);
                }
                answer.complete(pong);
              });
    }

    @Override
    public void close() {
      free.forEach(StatefulRedisConnection::close);
    }
  }

  /** Counts asks and those that took longer than the limit, or had no answer. */
  private static final class Asks {

    private final AtomicInteger all = new AtomicInteger();
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicLong slowest = new AtomicLong();

    /** Asks very often in the same moment, and waits for the last answer. */
    void storm(Supplier<? extends CompletionStage<?>> ask) {
      List<CompletableFuture<?>> ends = new ArrayList<>();
      for (int i = 0; i < ASKS; i++) {
        long begin = System.nanoTime();
        ends.add(
            ask.get()
                .handle((answer, failure) -> count(System.nanoTime() - begin, failure == null))
                .toCompletableFuture());
      }
      ends.forEach(CompletableFuture::join);
    }

    private boolean count(long took, boolean answered) {
      all.incrementAndGet();
      slowest.accumulateAndGet(took, Math::max);
      if (!answered || took > LIMIT_NANOS) {
        late.incrementAndGet();
      }
      return answered;
    }

    double shareLate() {
      return (double) late.get() / all.get();
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%,d asks, %.2f %% late, the slowest took %,d ms",
          all.get(),
          100 * shareLate(),
          TimeUnit.NANOSECONDS.toMillis(slowest.get()));
    }
  }

  @Test
  void isAvailable_whenCached_takesNanoseconds_andAllocatesNothing() {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(redis.uri())
            .availability(AvailabilityOptions.builder().timeout(Duration.ofSeconds(10)).build())
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
