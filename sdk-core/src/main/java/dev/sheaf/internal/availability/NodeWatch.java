package dev.sheaf.internal.availability;

import dev.sheaf.SheafException;
import dev.sheaf.availability.Availability;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch over the nodes of one client, which begins when it is first wanted. Thread-safe.
 *
 * @param <K> the type of keys
 */
public final class NodeWatch<K> implements Watch<K> {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.availability");

  private final NodeSource<K> source;
  private final WatchSettings settings;
  private volatile @Nullable Started<K> started;
  private boolean closed;

  private record Started<K>(AvailabilityGuard<K> guard, AvailabilityView<K> view) {}

  /** Creates a watch that has not begun; nothing is connected. */
  public NodeWatch(NodeSource<K> source, WatchSettings settings) {
    this.source = source;
    this.settings = settings;
  }

  /**
   * Begins to watch on another thread, to cost the caller no time. What hinders it shows when
   * somebody asks.
   */
  public void beginSoon() {
    settings
        .resources()
        .eventExecutorGroup()
        .execute(
            () -> {
              try {
                started();
              } catch (RuntimeException e) {
                LOGGER.debug("The availability guard did not start with the client", e);
              }
            });
  }

  /**
   * What users see; begins to watch, if need be, without waiting for connections.
   *
   * @throws SheafException if it was closed before it began
   */
  @Override
  public Availability<K> availability() {
    return started().view();
  }

  /** Whether nothing speaks against the node of a key. Never waits; begins to watch, if need be. */
  @Override
  public boolean mayUse(K key) {
    return started().guard().mayUse(key);
  }

  /** Runs a short task later, on a thread of the client; null if the client is shut down. */
  @Override
  public @Nullable Future<?> after(Runnable task, long delayNanos) {
    return started().guard().after(task, delayNanos);
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
      AvailabilityGuard<K> guard = AvailabilityGuard.start(source, settings);
      known = new Started<>(guard, AvailabilityView.of(guard));
      started = known;
    }
    return known;
  }

  /** Ends the watch and closes its connections; blocks for as long as the settings allow. */
  @Override
  public synchronized void close() {
    closed = true;
    Started<K> known = started;
    if (known != null) {
      known.guard().close();
    }
  }
}
