// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The answer to whether Redis can be used right now, cheap enough to ask for before every read.
 *
 * <p>It has a connection of its own to each primary, which user commands never pass, and asks with
 * one PING however many callers want to know. A caller is answered, in this order, by what the node
 * is known to be (DOWN and SLOW answer no at once), by any good reply not older than the age it
 * accepts, on the user's connection or on this one, or by a PING that is sent after it asked.
 *
 * <p>{@code availability()} of one client always has the same state behind it. Thread-safe.
 *
 * @param <K> the type of keys
 */
public interface Availability<K> {

  /**
   * Whether Redis answers in time. In a cluster: whether the nodes that do serve more than half of
   * the slots, because the loss of one of many is no reason to stop using the others; {@link
   * #isAvailable(Object)} asks about the one that matters.
   *
   * <p>Answers from memory whenever something was heard within the accepted age ({@link
   * AvailabilityOptions#maxAge()}, 1 s by default); else it waits for a PING, at most the time-out
   * (200 ms by default). On a thread of Netty, which must not wait, it answers from memory alone.
   *
   * @return false, too, when the thread is interrupted, which stays set, and after the client was
   *     closed; never an exception
   */
  boolean isAvailable();

  /**
   * Whether the node that serves this key answers in time; otherwise as {@link #isAvailable()}.
   *
   * @return false, too, if no node serves the key's slot
   * @throws NullPointerException if the key is null
   */
  boolean isAvailable(K key);

  /**
   * Sends a PING, or shares one that is sent after this call, and waits for the answer, at most the
   * time-out. In a cluster every primary is asked.
   *
   * @return the time from the sending of the PING to its answer; in a cluster the longest
   * @throws UnavailableException if a node has no good answer in time
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread is interrupted, which
   *     stays set
   * @throws IllegalStateException on a thread of Netty, which would wait for itself
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
   * @return the caller's own future: to cancel or complete it concerns nobody else. It fails with
   *     {@link UnavailableException}
   */
  CompletableFuture<Duration> pingAsync();

  /**
   * As {@link #ping(Object)}, without blocking.
   *
   * @throws NullPointerException if the key is null
   */
  CompletableFuture<Duration> pingAsync(K key);

  /** What is known of Redis as a whole. Never blocks. */
  AvailabilityStatus status();

  /**
   * What is known of each primary, by {@code host:port}; unmodifiable, a copy as of now. Never
   * blocks.
   */
  Map<String, AvailabilityStatus> nodes();

  /**
   * Tells a listener of all later changes between UP, SLOW and DOWN, of nodes and of the whole: one
   * call at a time, in the order of the changes, on a thread of the client.
   *
   * @param listener must not block, since other listeners wait; what it throws is logged and
   *     dropped
   * @return closes without an exception; the listener may still be told of changes before that
   */
  Registration onChange(Consumer<AvailabilityChange> listener);

  /**
   * The same, for callers of {@link #isAvailable()} who accept replies of another age. {@link
   * #ping()} always measures anew.
   *
   * @param maxAge zero for none but a new answer
   * @throws IllegalArgumentException if it is negative
   */
  Availability<K> withMaxAge(Duration maxAge);

  /**
   * The same, for callers with another patience. One that is longer than it takes to find a node
   * DOWN ends then.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  Availability<K> withTimeout(Duration timeout);

  /** Ends what a listener is told. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
