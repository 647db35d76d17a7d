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
final class GuardConnection implements RedisConnectionStateListener {

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

  /** Has the open connection, or will have it; fails with an attempt. */
  private volatile CompletableFuture<StatefulRedisConnection<String, String>> next =
      new CompletableFuture<>();

  private volatile CompletableFuture<?> lastAttempt = CompletableFuture.completedFuture(null);

  // Guarded by the lock.
  private int failures;
  private boolean closed;

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

  /** The open connection, or the outcome of the attempt under way or of the next one. */
  CompletableFuture<StatefulRedisConnection<String, String>> next() {
    return next;
  }

  /** Makes an attempt. */
  void open() {
    synchronized (lock) {
      if (closed) {
        return;
      }
    }
    long begunAt = System.nanoTime();
    long limit = limitNanos;
    CompletableFuture<StatefulRedisConnection<String, String>> opening = new CompletableFuture<>();
    opening
        .orTimeout(limit, TimeUnit.NANOSECONDS)
        .whenCompleteAsync(
            (opened, failure) -> {
              if (failure == null) {
                succeeded(opened, System.nanoTime() - begunAt);
              } else {
                failed(failure instanceof TimeoutException ? silent(limit) : failure);
              }
            },
            task -> timer.after(task, 0));
    try {
      lastAttempt =
          client
              .connectAsync(StringCodec.ASCII, Uris.withTimeout(uri, Duration.ofNanos(limit)))
              .whenComplete(
                  (opened, failure) -> {
                    if (failure != null) {
                      opening.completeExceptionally(Failures.cause(failure));
                    } else if (!opening.complete(opened)) {
                      // It comes too late.
                      opened.closeAsync();
                    }
                  })
              .toCompletableFuture();
    } catch (RuntimeException e) {
      opening.completeExceptionally(e);
    }
  }

  private static TimeoutException silent(long limitNanos) {
    return new TimeoutException(
        "no connection within "
            + TimeUnit.NANOSECONDS.toMillis(limitNanos)
            + " ms; the host is silent");
  }

  private void succeeded(StatefulRedisConnection<String, String> opened, long tookNanos) {
    synchronized (lock) {
      if (closed) {
        opened.closeAsync();
        return;
      }
      connection = opened;
      failures = 0;
    }
    long allowance = Math.max(shortestLimitNanos, ALLOWANCE * tookNanos);
    limitNanos = Math.min(uri.getTimeout().toNanos(), allowance);
    opened.addListener(this);
    if (opened.isOpen()) {
      next.complete(opened);
      listener.accept(Event.OPENED, null);
    } else {
      lose(opened, 1);
    }
  }

  private void failed(Throwable cause) {
    synchronized (lock) {
      if (closed) {
        return;
      }
      failures++;
    }
    listener.accept(Event.NOT_OPENED, cause);
    failWaiting(cause);
    openLater();
  }

  /** Fails what waits for a connection; attempts go on. */
  void failWaiting(Throwable cause) {
    CompletableFuture<?> waiting;
    synchronized (lock) {
      if (connection != null) {
        return;
      }
      waiting = next;
      next = new CompletableFuture<>();
    }
    waiting.completeExceptionally(cause);
  }

  /** Gives up the connection, which is there and does not answer, for a new one. */
  void renew() {
    StatefulRedisConnection<String, String> given = connection;
    if (given != null) {
      lose(given, 0);
      given.closeAsync();
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    lose(lost, 0);
  }

  private void lose(Object lost, int afterFailures) {
    synchronized (lock) {
      if (connection != lost || closed) {
        return;
      }
      connection = null;
      failures = afterFailures;
      if (next.isDone()) {
        next = new CompletableFuture<>();
      }
    }
    listener.accept(Event.LOST, null);
    openLater();
  }

  private void openLater() {
    long pause;
    synchronized (lock) {
      pause = jitter.reconnectNanos(failures);
    }
    timer.after(this::open, pause);
  }

  /**
   * Makes no attempt any more. The connection is left to the client, which closes all.
   *
   * @return done when no attempt is under way
   */
  CompletableFuture<?> stop() {
    synchronized (lock) {
      closed = true;
    }
    return lastAttempt;
  }

  void close() {
    stop();
    StatefulRedisConnection<String, String> given = connection;
    if (given != null) {
      given.closeAsync();
    }
  }
}
