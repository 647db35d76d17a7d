package dev.sheaf;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts the availability guard when it is first wanted. Thread-safe. */
final class GuardHolder<K> {

  private final Supplier<AvailabilityGuard<K>> start;
  private volatile @Nullable Started<K> started;
  private boolean closed;

  private record Started<K>(AvailabilityGuard<K> guard, AvailabilityView<K> view) {}

  GuardHolder(Supplier<AvailabilityGuard<K>> start) {
    this.start = start;
  }

  /**
   * The guard.
   *
   * @throws SheafException if it was not started before the client was closed
   */
  AvailabilityGuard<K> get() {
    return started().guard();
  }

  AvailabilityView<K> view() {
    return started().view();
  }

  private Started<K> started() {
    Started<K> known = started;
    return known == null ? startOnce() : known;
  }

  private synchronized Started<K> startOnce() {
    Started<K> known = started;
    if (known == null) {
      if (closed) {
        throw new SheafException("The Sheaf client is closed; nothing can be asked of it any more");
      }
      AvailabilityGuard<K> guard = start.get();
      known = new Started<>(guard, AvailabilityView.of(guard));
      started = known;
    }
    return known;
  }

  synchronized void close() {
    closed = true;
    Started<K> known = started;
    if (known != null) {
      known.guard().close();
    }
  }
}
