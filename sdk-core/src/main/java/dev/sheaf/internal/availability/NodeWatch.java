// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.SheafException;
import dev.sheaf.availability.Availability;
import dev.sheaf.internal.common.ClientThreads;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's access to an availability guard: its own, started on first use, or that of another
 * client over the same nodes. Thread-safe.
 *
 * @param <K> the type of keys
 */
public final class NodeWatch<K> {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.availability");

  /** Null if the guard belongs to another client. */
  private final @Nullable LazyGuard<K> own;

  private final Supplier<? extends AvailabilityGuard<?>> guard;
  private final Function<? super K, @Nullable NodeGuard> nodeOf;
  private final Availability<K> view;

  private NodeWatch(
      @Nullable LazyGuard<K> own,
      Supplier<? extends AvailabilityGuard<?>> guard,
      Function<? super K, @Nullable NodeGuard> nodeOf) {
    this.own = own;
    this.guard = guard;
    this.nodeOf = nodeOf;
    this.view = new AvailabilityView<>(guard, nodeOf);
  }

  /** A guard of the client's own, not started and without connections. */
  public static <K> NodeWatch<K> own(NodeSource<K> source, WatchSettings settings) {
    LazyGuard<K> own = new LazyGuard<>(source, settings);
    return new NodeWatch<>(own, own::get, key -> own.get().guardOf(key));
  }

  /**
   * The guard of another client, so that nodes are watched and measured once.
   *
   * @param owner supplies the other client's watch at each use, without blocking
   * @param asOwners converts a key to that client's
   */
  public static <K, B> NodeWatch<K> borrowed(
      Supplier<NodeWatch<B>> owner, Function<? super K, ? extends B> asOwners) {
    return new NodeWatch<>(
        null, () -> owner.get().guard.get(), key -> owner.get().nodeOf.apply(asOwners.apply(key)));
  }

  /**
   * Starts on another thread, so that the caller does not wait. A failure is reported on first use.
   */
  public void beginSoon() {
    LazyGuard<K> mine = own;
    if (mine != null) {
      ClientThreads.of(mine.settings.resources())
          .execute(
              () -> {
                try {
                  mine.get();
                } catch (RuntimeException e) {
                  LOGGER.debug("The availability guard did not start with the client", e);
                }
              });
    }
  }

  /**
   * The users' view. Starts the guard if necessary, without waiting for connections.
   *
   * @throws SheafException if the guard was closed before it was started
   */
  public Availability<K> availability() {
    AvailabilityGuard<?> unused = guard.get();
    return view;
  }

  /**
   * Whether the node of a key is not known to be unavailable, and the client is open. Never blocks.
   * Starts the guard if necessary.
   */
  public boolean mayUse(K key) {
    try {
      NodeGuard node = nodeOf.apply(key);
      return node == null
          || node.verdict(System.nanoTime(), Long.MAX_VALUE) != NodeGuard.Verdict.NO;
    } catch (IllegalStateException | SheafException closed) {
      return false;
    }
  }

  /** Closes the guard if it is the client's own. Blocks at most as long as the settings allow. */
  public void close() {
    if (own != null) {
      own.close();
    }
  }

  private static final class LazyGuard<K> {

    private final NodeSource<K> source;
    private final WatchSettings settings;
    private volatile @Nullable AvailabilityGuard<K> started;
    private boolean closed;

    LazyGuard(NodeSource<K> source, WatchSettings settings) {
      this.source = source;
      this.settings = settings;
    }

    AvailabilityGuard<K> get() {
      AvailabilityGuard<K> known = started;
      return known == null ? startOnce() : known;
    }

    private synchronized AvailabilityGuard<K> startOnce() {
      AvailabilityGuard<K> known = started;
      if (known == null) {
        if (closed) {
          throw new SheafException(
              "The Sheaf client is closed; nothing can be asked of it any more");
        }
        known = AvailabilityGuard.start(source, settings);
        started = known;
      }
      return known;
    }

    synchronized void close() {
      closed = true;
      AvailabilityGuard<K> known = started;
      if (known != null) {
        known.close();
      }
    }
  }
}
