// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.common.Uris;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The subscriptions to the Sentinels of a primary. Each Sentinel announces that another server is
 * the primary as soon as it knows. The old one may still serve its connections for ten seconds
 * then, and loses what they write.
 *
 * <p>Each subscription has a connection of its own. Lettuce keeps it; a Sentinel that cannot be
 * reached at first is tried again. Thread-safe; nothing blocks.
 */
final class SentinelWatch {

  private static final String CHANNEL = "+switch-master";

  /** The pause after a Sentinel could not be reached: 10 seconds. */
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final RedisURI primary;
  private final Function<RedisURI, CompletionStage<StatefulRedisPubSubConnection<String, String>>>
      connect;
  private final Timer timer;
  private final BiConsumer<RedisURI, String> failedOver;
  private volatile boolean closed;

  /**
   * Creates a watch without connecting.
   *
   * @param primary names the primary and its Sentinels; its time-out limits each connecting
   * @param connect connects to a Sentinel without blocking
   * @param failedOver receives the address of the old primary, and the reason
   */
  SentinelWatch(
      RedisURI primary,
      Function<RedisURI, CompletionStage<StatefulRedisPubSubConnection<String, String>>> connect,
      Timer timer,
      BiConsumer<RedisURI, String> failedOver) {
    this.primary = primary;
    this.connect = connect;
    this.timer = timer;
    this.failedOver = failedOver;
  }

  /** Subscribes to all Sentinels. */
  void start() {
    primary.getSentinels().forEach(this::subscribe);
  }

  /** Ends all attempts. The client closes the connections. */
  void close() {
    closed = true;
  }

  private void subscribe(RedisURI sentinel) {
    if (closed) {
      return;
    }
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connecting;
    try {
      connecting = connect.apply(Uris.withTimeout(sentinel, primary.getTimeout()));
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e);
    }
    connecting.whenComplete(
        (connection, failure) -> {
          if (failure != null) {
            timer.after(() -> subscribe(sentinel), RETRY_NANOS);
          } else if (closed) {
            connection.closeAsync();
          } else {
            connection.addListener(new Announcements(sentinel));
            connection.async().subscribe(CHANNEL);
          }
        });
  }

  private static boolean isPort(String word) {
    return word.matches("\\d{1,5}") && Integer.parseInt(word) <= 65_535;
  }

  /** What one Sentinel announces. */
  private final class Announcements extends RedisPubSubAdapter<String, String> {

    private final RedisURI sentinel;

    Announcements(RedisURI sentinel) {
      this.sentinel = sentinel;
    }

    /** The message is "name old-host old-port new-host new-port". */
    @Override
    public void message(String channel, String message) {
      String[] words = message.split(" ", -1);
      if (words.length == 5
          && words[0].equals(primary.getSentinelMasterId())
          && !words[1].isEmpty()
          && isPort(words[2])) {
        failedOver.accept(
            RedisURI.create(words[1], Integer.parseInt(words[2])),
            "the Sentinel at "
                + sentinel.getHost()
                + ":"
                + sentinel.getPort()
                + " has announced another primary, "
                + words[3]
                + ":"
                + words[4]);
      }
    }
  }
}
