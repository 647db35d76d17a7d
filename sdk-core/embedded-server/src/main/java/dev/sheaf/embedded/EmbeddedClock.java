package dev.sheaf.embedded;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The time a server goes by, for expiry and for the timeouts of blocking commands. Safe for use by
 * many threads.
 */
public final class EmbeddedClock {
  private static final EmbeddedClock SYSTEM = new EmbeddedClock(null);

  private final @Nullable AtomicLong manualMillis;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  private EmbeddedClock(@Nullable AtomicLong manualMillis) {
    this.manualMillis = manualMillis;
  }

  /** The machine's clock. */
  public static EmbeddedClock system() {
    return SYSTEM;
  }

  /** A clock that stands still at {@code start} until {@link #advance} moves it. */
  public static EmbeddedClock manual(Instant start) {
    return new EmbeddedClock(new AtomicLong(start.toEpochMilli()));
  }

  /** The time in whole milliseconds. */
  public Instant now() {
    return Instant.ofEpochMilli(millis());
  }

  /** Milliseconds since the epoch. */
  public long millis() {
    return manualMillis == null ? System.currentTimeMillis() : manualMillis.get();
  }

  /**
   * Moves a manual clock on. When this returns, servers on this clock have removed the keys that
   * are due and answered the blocked clients whose time is over.
   *
   * @throws IllegalStateException on the system clock
   * @throws IllegalArgumentException if the duration is negative
   */
  public void advance(Duration by) {
    if (manualMillis == null) {
      throw new IllegalStateException(
          "the system clock cannot be advanced; start the server with EmbeddedClock.manual(...)");
    }
    if (by.isNegative()) {
      throw new IllegalArgumentException("time does not go back: " + by);
    }
    manualMillis.addAndGet(by.toMillis());
    listeners.forEach(Runnable::run);
  }

  void onAdvance(Runnable listener) {
    if (manualMillis != null) {
      listeners.add(listener);
    }
  }

  void forget(Runnable listener) {
    listeners.remove(listener);
  }
}
