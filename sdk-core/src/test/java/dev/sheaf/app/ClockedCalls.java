// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import dev.sheaf.LoopReport;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.keys.ReadRouter;
import dev.sheaf.internal.sync.BlockingCalls;
import dev.sheaf.internal.sync.CallerThread;
import dev.sheaf.internal.sync.LoopPlaces;
import dev.sheaf.internal.sync.LoopSampler;
import dev.sheaf.internal.sync.Loops;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Blocking commands that a loop detector watches, on a clock of their own: each call takes as long
 * as it is told to, for its own thread alone, and nothing else takes any time.
 */
final class ClockedCalls implements AutoCloseable {

  private final EmbeddedServer server = EmbeddedServer.start();
  private final RedisClient client = RedisClient.create(server.uri());
  private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong pausedNanos = new AtomicLong();
  private final ThreadLocal<long[]> waitedNanos = ThreadLocal.withInitial(() -> new long[1]);
  private final LoopSampler detector;
  private final RedisCommands<String, String> redis;
  private volatile long roundTripNanos;

  ClockedCalls(Duration roundTrip) {
    roundTrip(roundTrip);
    StatefulRedisConnection<String, String> connection = client.connect();
    detector =
        new LoopSampler(null, "client", LoopSampler::remedyFor, connection, later, this::nanoTime);
    redis = watched(connection);
  }

  @SuppressWarnings("unchecked") // Proxies of the type of what is behind them.
  private RedisCommands<String, String> watched(
      StatefulRedisConnection<String, String> connection) {
    RedisCommands<String, String> plain = connection.sync();
    RedisCommands<String, String> timed =
        (RedisCommands<String, String>)
            Proxy.newProxyInstance(
                ClockedCalls.class.getClassLoader(),
                new Class<?>[] {RedisCommands.class},
                (proxy, method, arguments) -> {
                  Object reply = method.invoke(plain, arguments);
                  waitedNanos.get()[0] += roundTripNanos;
                  return reply;
                });
    Loops<String, String> loops =
        new Loops<>(
            new ReadRouter<>(ConnectedServer.of(connection, client), StringCodec.UTF8, null),
            new WriteClock(),
            new LoopPlaces(null, null, "client"),
            ThreadLocal.withInitial(CallerThread::new));
    return new BlockingCalls<>(connection, loops, new AtomicInteger(), detector)
        .over(RedisCommands.class, timed, () -> true);
  }

  private long nanoTime() {
    return pausedNanos.get() + waitedNanos.get()[0];
  }

  /** How long each call takes from now on. */
  void roundTrip(Duration roundTrip) {
    roundTripNanos = roundTrip.toNanos();
  }

  /** Lets time pass for all threads. */
  void pause(Duration length) {
    pausedNanos.addAndGet(length.toNanos());
  }

  RedisCommands<String, String> redis() {
    return redis;
  }

  List<LoopReport> loops() {
    return detector.reports();
  }

  /** Logs what the detector has not logged yet. A second call does nothing. */
  @Override
  public void close() {
    later.shutdownNow();
    detector.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    server.close();
  }
}
