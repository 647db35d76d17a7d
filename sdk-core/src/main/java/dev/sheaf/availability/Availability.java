// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Tells whether Redis can be used right now, cheaply enough to ask before every read.
 *
 * <p>It has its own connection to each primary, separate from user commands, and sends one PING for
 * any number of callers. The answer comes, in this order, from the known state (DOWN and SLOW mean
 * no), from any good reply on either connection within the accepted age, or from a PING sent after
 * the call.
 *
 * <p>All results of {@code availability()} of one client share the same state. Thread-safe.
 *
 * @param <K> the type of keys
 */
public interface Availability<K> {

  /**
   * Whether Redis answers in time. For a cluster: whether nodes with more than half of the slots
   * do, because the loss of one node is no reason to stop using the others. {@link
   * #isAvailable(Object)} asks about one node.
   *
   * <p>Answers from memory if a reply has arrived within the accepted age ({@link
   * AvailabilityOptions#maxAge()}, 1 s by default). Else it waits for a PING, at most the time-out
   * (200 ms by default). On a Netty thread, which must not block, it only answers from memory.
   *
   * @return also false if the thread is interrupted, which stays set, and after the client was
   *     closed; never throws
   */
  boolean isAvailable();

  /**
   * Whether the node that serves this key answers in time; otherwise as {@link #isAvailable()}.
   *
   * @return also false if no node serves the key's slot
   * @throws NullPointerException if the key is null
   */
  boolean isAvailable(K key);

  /**
   * Sends a PING, or joins one sent after this call, and waits for the answer, at most the
   * time-out. In a cluster every primary is asked.
   *
   * @return the round trip of the PING; in a cluster the longest
   * @throws UnavailableException if a node gives no good answer in time
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread is interrupted, which
   *     stays set
   * @throws IllegalStateException on a Netty thread, which would wait for itself
   */
  Duration ping();

  /**
   * As {@link #ping()}, for the node that serves the key.
   *
   * @throws NullPointerException if the key is null
   */
  Duration ping(K key);

  /**
   * As {@link #ping()}, without blocking.
   *
   * @return a future of the caller's own: cancelling or completing it does not affect others. It
   *     fails with {@link UnavailableException}
   */
  CompletableFuture<Duration> pingAsync();

  /**
   * As {@link #ping(Object)}, without blocking.
   *
   * @throws NullPointerException if the key is null
   */
  CompletableFuture<Duration> pingAsync(K key);

  /** The known status of Redis as a whole. Never blocks. */
  AvailabilityStatus status();

  /**
   * The known status of each primary, by {@code host:port}; an unmodifiable snapshot. Never blocks.
   */
  Map<String, AvailabilityStatus> nodes();

  /**
   * Adds a listener to all later changes between UP, SLOW and DOWN, of nodes and of Redis as a
   * whole. It is called sequentially, in the order of the changes, on a thread of the client.
   *
   * @param listener must not block, since other listeners wait; its exceptions are logged and
   *     ignored
   * @return removes the listener when closed; changes before that may still be delivered
   */
  Registration onChange(Consumer<AvailabilityChange> listener);

  /**
   * Returns a view with another accepted age for {@link #isAvailable()}. {@link #ping()} always
   * measures.
   *
   * @param maxAge zero to accept only new answers
   * @throws IllegalArgumentException if it is negative
   */
  Availability<K> withMaxAge(Duration maxAge);

  /**
   * Returns a view with another time-out. A wait ends earlier if the node is found DOWN.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  Availability<K> withTimeout(Duration timeout);

  /** The registration of a listener. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
