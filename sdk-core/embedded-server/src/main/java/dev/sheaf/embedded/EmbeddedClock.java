// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of a server, for expiry and for the time-outs of blocking commands: the machine's
 * ({@link #system()}), one that stands still until it is advanced ({@link #manual}), or one that
 * runs and can be advanced ({@link #running}). Thread-safe.
 */
public final class EmbeddedClock {
  private static final EmbeddedClock SYSTEM = new EmbeddedClock(0, true);

  private final AtomicLong offsetMicros;
  private final boolean runs;
  private final AtomicLong scriptCommandMicros = new AtomicLong();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  private EmbeddedClock(long offsetMicros, boolean runs) {
    this.offsetMicros = new AtomicLong(offsetMicros);
    this.runs = runs;
  }

  /** Returns the machine's clock. */
  public static EmbeddedClock system() {
    return SYSTEM;
  }

  /** Returns a clock that stands still at {@code start} until {@link #advance} moves it. */
  public static EmbeddedClock manual(Instant start) {
    return new EmbeddedClock(toMicros(start), false);
  }

  /** Returns a clock that shows {@code start} now, runs like the machine's, and can be advanced. */
  public static EmbeddedClock running(Instant start) {
    return new EmbeddedClock(toMicros(start) - machineMicros(), true);
  }

  private static long toMicros(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L),
        TimeUnit.NANOSECONDS.toMicros(instant.getNano()));
  }

  private static long machineMicros() {
    return toMicros(Instant.now());
  }

  /** Returns the time in whole microseconds. */
  public Instant now() {
    long micros = micros();
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }

  /** Returns the milliseconds since the epoch. */
  public long millis() {
    return this == SYSTEM ? System.currentTimeMillis() : Math.floorDiv(micros(), 1000L);
  }

  /** Returns the microseconds since the epoch. */
  public long micros() {
    return runs ? machineMicros() + offsetMicros.get() : offsetMicros.get();
  }

  /**
   * Advances the clock. When this returns, servers with this clock have removed expired keys and
   * answered blocked clients that timed out.
   *
   * @throws IllegalStateException on the system clock
   * @throws IllegalArgumentException if the duration is negative
   */
  public void advance(Duration by) {
    offsetMicros.addAndGet(micros(by));
    listeners.forEach(Runnable::run);
  }

  /**
   * Sets the time that each command of a script takes: the clock advances by it. TIME inside a
   * script shows it; for expiry, time stands still inside a script, as in Redis. Zero turns it off.
   *
   * @return this clock
   * @throws IllegalStateException on the system clock
   * @throws IllegalArgumentException if the duration is negative
   */
  public EmbeddedClock scriptCommandsTake(Duration each) {
    scriptCommandMicros.set(micros(each));
    return this;
  }

  private long micros(Duration duration) {
    Check.state(
        this == SYSTEM,
        "the system clock cannot be advanced; start the server with EmbeddedClock.manual(...)"
            + " or EmbeddedClock.running(...)");
    Check.argument(duration.isNegative(), "time does not go back: %s", duration);
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }

  /** Called when a script has run a command. */
  void scriptCommandRan() {
    long micros = scriptCommandMicros.get();
    if (micros > 0) {
      offsetMicros.addAndGet(micros);
    }
  }

  void onAdvance(Runnable listener) {
    if (this != SYSTEM) {
      listeners.add(listener);
    }
  }

  void forget(Runnable listener) {
    listeners.remove(listener);
  }
}
