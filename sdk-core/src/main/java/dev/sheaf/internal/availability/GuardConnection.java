// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.common.Uris;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection that PINGs travel on, opened again whenever it is lost: at once, and then after
 * growing, random pauses. Each attempt resolves the host name, or asks the Sentinels, anew.
 * Thread-safe; nothing blocks.
 */
final class GuardConnection {

  /** What becomes of the connection; told on the thread on which it happens. */
  enum Event {
    OPENED,
    LOST,
    /** An attempt failed, with a cause; another one follows. */
    NOT_OPENED
  }

  /** How many times as long as the last one an attempt may take. */
  private static final int ALLOWANCE = 4;

  private final RedisClient client;
  private final RedisURI uri;
  private final long shortestLimitNanos;
  private final Timer timer;
  private final Jitter jitter;
  private final BiConsumer<Event, @Nullable Throwable> listener;
  private final Object lock = new Object();

  private volatile @Nullable StatefulRedisConnection<String, String> connection;
  private @Nullable Attempt attempt;
  private boolean pausing;
  private int failures;
  private volatile boolean closed;

  /**
   * How long the next attempt may take: what the URI allows until one has succeeded, and then a few
   * times what that took, so that a host which fell silent is soon asked again.
   */
  private volatile long limitNanos;

  /**
   * Creates a connection that is not open.
   *
   * @param uri its time-out bounds the first attempts
   * @param shortestLimit what an attempt may take at least
   */
  GuardConnection(
      RedisClient client,
      RedisURI uri,
      Duration shortestLimit,
      Timer timer,
      Jitter jitter,
      BiConsumer<Event, @Nullable Throwable> listener) {
    this.client = client;
    this.uri = uri;
    this.shortestLimitNanos = shortestLimit.toNanos();
    this.limitNanos = uri.getTimeout().toNanos();
    this.timer = timer;
    this.jitter = jitter;
    this.listener = listener;
  }

  /** The open connection, or null. */
  @Nullable StatefulRedisConnection<String, String> current() {
    return connection;
  }

  /** Whether an attempt is under way. */
  boolean isOpening() {
    synchronized (lock) {
      return attempt != null;
    }
  }

  /** Makes an attempt now, unless there is a connection or another attempt. */
  void open() {
    Attempt mine = new Attempt(limitNanos);
    synchronized (lock) {
      pausing = false;
      if (closed || connection != null || attempt != null) {
        return;
      }
      attempt = mine;
    }
    schedule(mine::expire, mine.limitNanos);
    RedisURI bounded = Uris.withTimeout(uri, Duration.ofNanos(mine.limitNanos));
    try {
      client.connectAsync(StringCodec.ASCII, bounded).whenComplete(mine::end);
    } catch (RuntimeException e) {
      mine.end(null, e);
    }
  }

  /** Gives up the connection, which is there and does not answer, for a new one. */
  void renew() {
    StatefulRedisConnection<String, String> given = connection;
    if (given != null) {
      lose(given, 0);
      given.closeAsync();
    }
  }

  /**
   * Makes no attempt any more. The connection is left to the client, which closes all.
   *
   * @return done when no attempt is under way
   */
  CompletableFuture<?> stop() {
    synchronized (lock) {
      closed = true;
      Attempt current = attempt;
      return current == null ? CompletableFuture.completedFuture(null) : current.ended;
    }
  }

  void close() {
    stop();
    StatefulRedisConnection<String, String> given = connection;
    if (given != null) {
      connection = null;
      given.closeAsync();
    }
  }

  private void lose(StatefulRedisConnection<String, String> lost, int afterFailures) {
    synchronized (lock) {
      if (connection != lost) {
        return;
      }
      connection = null;
      failures = afterFailures;
    }
    if (!closed) {
      listener.accept(Event.LOST, null);
      openLater();
    }
  }

  private void learn(long tookNanos) {
    long allowance = Math.max(shortestLimitNanos, ALLOWANCE * tookNanos);
    limitNanos = Math.min(uri.getTimeout().toNanos(), allowance);
  }

  private void openLater() {
    synchronized (lock) {
      if (pausing) {
        return;
      }
      pausing = true;
    }
    schedule(this::open, jitter.reconnectNanos(failures));
  }

  private void schedule(Runnable task, long delayNanos) {
    if (!timer.after(task, delayNanos)) {
      closed = true;
    }
  }

  /** One attempt, which ends once: with a connection, with a failure, or because it takes long. */
  private final class Attempt implements RedisConnectionStateListener {

    private final long limitNanos;
    private final long begunAt = System.nanoTime();
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private volatile @Nullable StatefulRedisConnection<String, String> made;

    Attempt(long limitNanos) {
      this.limitNanos = limitNanos;
    }

    void expire() {
      if (finish(null)) {
        fail(
            new TimeoutException(
                "no connection within "
                    + TimeUnit.NANOSECONDS.toMillis(limitNanos)
                    + " ms; the host is silent"));
      }
    }

    void end(
        @Nullable StatefulRedisConnection<String, String> opened, @Nullable Throwable failure) {
      if (opened == null) {
        ended.complete(null);
        if (finish(null)) {
          fail(failure == null ? new IllegalStateException("no connection") : failure);
        }
        return;
      }
      made = opened;
      if (!finish(opened)) {
        opened.closeAsync().whenComplete((done, problem) -> ended.complete(null));
        return;
      }
      ended.complete(null);
      learn(System.nanoTime() - begunAt);
      opened.addListener(this);
      if (opened.isOpen()) {
        listener.accept(Event.OPENED, null);
      } else {
        lose(opened, 1);
      }
    }

    /** Whether this was still the attempt under way. */
    private boolean finish(@Nullable StatefulRedisConnection<String, String> opened) {
      synchronized (lock) {
        if (attempt != this || closed) {
          return false;
        }
        attempt = null;
        connection = opened;
        failures = opened == null ? failures + 1 : 0;
        return true;
      }
    }

    private void fail(Throwable failure) {
      listener.accept(Event.NOT_OPENED, Failures.cause(failure));
      openLater();
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
      StatefulRedisConnection<String, String> lost = made;
      if (lost != null) {
        lose(lost, 0);
      }
    }
  }
}
