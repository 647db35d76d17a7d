// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityChange;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The status of Redis as a whole, with the listeners to changes of it and of nodes. Listeners run
 * on a thread of their own, one change after the other. Thread-safe, except for {@link #become},
 * which must not be called concurrently.
 */
final class OverallStatus {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.availability");

  private final Executor notifier;
  private final List<Consumer<AvailabilityChange>> listeners = new CopyOnWriteArrayList<>();

  private volatile AvailabilityStatus status =
      new AvailabilityStatus(AvailabilityState.UP, NodeState.STARTING, Instant.now(), null);

  OverallStatus(Executor notifier) {
    this.notifier = notifier;
  }

  AvailabilityStatus status() {
    return status;
  }

  void become(AvailabilityState state, String reason) {
    AvailabilityStatus before = status;
    boolean same = before.state() == state;
    AvailabilityStatus after =
        new AvailabilityStatus(state, reason, same ? before.since() : Instant.now(), null);
    status = after;
    if (!same) {
      tell(new AvailabilityChange(null, before, after));
    }
  }

  @SuppressWarnings("UnnecessaryMethodReference") // It makes an object of its own, see below.
  Availability.Registration onChange(Consumer<AvailabilityChange> listener) {
    // Wrapped, so that each registration removes one of two equal listeners.
    Consumer<AvailabilityChange> mine = Objects.requireNonNull(listener, "listener")::accept;
    listeners.add(mine);
    return () -> listeners.remove(mine);
  }

  void tell(AvailabilityChange change) {
    try {
      notifier.execute(() -> listeners.forEach(listener -> tell(listener, change)));
    } catch (RejectedExecutionException shutDown) {
      LOGGER.debug("Nobody is told of {}: the client is shut down", change);
    }
  }

  private static void tell(Consumer<AvailabilityChange> listener, AvailabilityChange change) {
    try {
      listener.accept(change);
    } catch (RuntimeException e) {
      LOGGER.warn("An availability listener failed on {}", change, e);
    }
  }

  /** Removes all listeners. */
  void close() {
    listeners.clear();
  }
}
