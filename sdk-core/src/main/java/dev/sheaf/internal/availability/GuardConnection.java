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
 * The connection for PINGs. A lost connection is opened again at once, and then after growing,
 * jittered delays. Each attempt resolves the host name or asks the Sentinels again. Thread-safe;
 * nothing blocks.
 */
final class GuardConnection implements RedisConnectionStateListener {

  /** The events of the connection; listeners run on the thread on which they occur. */
  enum Event {
    OPENED,
    LOST,
    /** An attempt has failed, with a cause; another one follows. */
    NOT_OPENED
  }

  /** The time limit of an attempt, as a multiple of the last successful one. */
  private static final int ALLOWANCE = 4;

  private final RedisClient client;
  private final RedisURI uri;
  private final long shortestLimitNanos;
  private final Timer timer;
  private final Jitter jitter;
  private final BiConsumer<Event, @Nullable Throwable> listener;
  private final Object lock = new Object();

  private volatile @Nullable StatefulRedisConnection<String, String> connection;

  /** Completes with the open connection, or fails with an attempt. */
  private volatile CompletableFuture<StatefulRedisConnection<String, String>> next =
      new CompletableFuture<>();

  private volatile CompletableFuture<?> lastAttempt = CompletableFuture.completedFuture(null);

  // Guarded by the lock.
  private int failures;
  private boolean closed;

  /** Whether the client closes what is open. Lettuce warns of a connection that is closed twice. */
  private boolean leftToClient;

  /**
   * The time limit of the next attempt: that of the URI until one has succeeded, and then a
   * multiple of its duration, so that a silent host is soon tried again.
   */
  private volatile long limitNanos;

  /**
   * Creates a connection without opening it.
   *
   * @param uri its time-out limits the first attempts
   * @param shortestLimit the least time limit of an attempt
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

  /** The open connection, or the outcome of the current or next attempt. */
  CompletableFuture<StatefulRedisConnection<String, String>> next() {
    return next;
  }

  /** Makes an attempt to connect. */
  void open() {
    CompletableFuture<?> attempt = new CompletableFuture<>();
    synchronized (lock) {
      if (closed) {
        return;
      }
      // Known to stop() before it begins: it must not register with an event loop that has ended.
      lastAttempt = attempt;
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
      client
          .connectAsync(StringCodec.ASCII, Uris.withTimeout(uri, Duration.ofNanos(limit)))
          .whenComplete(
              (opened, failure) -> {
                if (failure != null) {
                  opening.completeExceptionally(Failures.cause(failure));
                } else if (!opening.complete(opened)) {
                  // Too late.
                  opened.closeAsync();
                }
                attempt.complete(null);
              });
    } catch (RuntimeException e) {
      attempt.complete(null);
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
        if (!leftToClient) {
          opened.closeAsync();
        }
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

  /** Fails those who wait for a connection; attempts continue. */
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

  /** Replaces a connection that is open but does not answer. */
  void renew() {
    StatefulRedisConnection<String, String> given = connection;
    if (given != null) {
      lose(given, 0);
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    lose(lost, 0);
  }

  private void lose(Object lost, int afterFailures) {
    StatefulRedisConnection<String, String> given;
    synchronized (lock) {
      given = connection;
      if (given == null || given != lost || closed) {
        return;
      }
      connection = null;
      failures = afterFailures;
      if (next.isDone()) {
        next = new CompletableFuture<>();
      }
    }
    // Also one that the server closed: the client keeps it until it is closed here.
    given.closeAsync();
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
   * Stops attempts. The client closes the connection.
   *
   * @return completes when no attempt is under way
   */
  CompletableFuture<?> stop() {
    synchronized (lock) {
      closed = true;
      leftToClient = true;
      return lastAttempt;
    }
  }

  /** Stops attempts and closes the connection. */
  void close() {
    StatefulRedisConnection<String, String> given;
    synchronized (lock) {
      closed = true;
      given = connection;
    }
    if (given != null) {
      given.closeAsync();
    }
  }
}
