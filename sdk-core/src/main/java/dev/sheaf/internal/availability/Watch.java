package dev.sheaf.internal.availability;

import dev.sheaf.availability.Availability;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A watch over the nodes of a client, its own or another's. Thread-safe.
 *
 * @param <K> the type of keys
 */
public interface Watch<K> {

  /** What users see; begins to watch, if need be, without waiting for connections. */
  Availability<K> availability();

  /** Whether nothing speaks against the node of a key. Never waits; begins to watch, if need be. */
  boolean mayUse(K key);

  /** Runs a short task later, on a thread of the client; null if the client is shut down. */
  @Nullable Future<?> after(Runnable task, long delayNanos);

  /** Ends the watch, if it is not another's; blocks for as long as the settings allow. */
  void close();

  /**
   * The watch of another, over the same nodes: nothing is connected and measured twice.
   *
   * @param owner gives the watch of now, asked with each use; does not wait
   * @param asOwners a key as the owner knows it
   */
  static <K, B> Watch<K> borrowed(
      Supplier<? extends Watch<B>> owner, Function<? super K, ? extends B> asOwners) {
    return new BorrowedWatch<K, B>(owner, asOwners);
  }
}
