// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.internal.heal.Guard;
import io.lettuce.core.output.CommandOutput;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The activity of one data connection: when the last good reply came, and since when one is
 * awaited.
 *
 * <p>Without a watcher the connection tells it of no batch. With one, it costs a look at the clock
 * at the end of each batch and, for one batch at a time, at its beginning. Only the last reply of a
 * batch counts: an error, or a reply that took too long, is no good reply, and an error that
 * concerns the node is passed on.
 *
 * <p>Written on the event loop of the connection, read by any thread. It outlives reconnects.
 */
public final class ReplyActivity implements Guard {

  /** In place of a time: there is none. A time is never zero, since its lowest bit is set. */
  static final long NEVER = 0;

  /** What does not wait until a caller asks; told on the event loop. */
  enum Event {
    /** The connection is there, for the first time or again. */
    CONNECTED,
    LOST,
    /** Nothing was read for as long as the guard lets pass, though a reply is awaited. */
    SILENT,
    /** The server answered a command with an error, given, that concerns all commands. */
    REFUSED
  }

  private volatile @Nullable BiConsumer<Event, @Nullable String> watcher;
  private volatile boolean connected;

  /** Given this while it is to be told of batches, and null when it is not. */
  private final Consumer<@Nullable ReplyActivity> listening;

  /** Only ever set lazily: a reader may see it some nanoseconds late. */
  private final AtomicLong lastGood = new AtomicLong(NEVER);

  /** When the flight under observation left; NEVER if there is none. Set lazily, too. */
  private final AtomicLong waitingSince = new AtomicLong(NEVER);

  private volatile long lateNanos = Long.MAX_VALUE;
  private volatile long silentAfterNanos;

  /** Told that the node answers elsewhere. */
  private volatile Runnable whenAnsweredElsewhere = () -> {};

  /** Why commands are to fail at once, or null. */
  private volatile @Nullable String refusal;

  /** Confined to the event loop. */
  private @Nullable Object observed;

  /** Begins without a watcher. */
  public ReplyActivity(Consumer<@Nullable ReplyActivity> listening) {
    this.listening = listening;
  }

  static long now() {
    return System.nanoTime() | 1;
  }

  /**
   * Begins to take note.
   *
   * @param lateNanos from when on a reply is late, and so no sign of life
   * @param silentAfterNanos after which silence is an event
   */
  void watch(BiConsumer<Event, @Nullable String> watcher, long lateNanos, long silentAfterNanos) {
    this.lateNanos = lateNanos;
    this.silentAfterNanos = silentAfterNanos;
    this.watcher = watcher;
    listening.accept(this);
  }

  void unwatch() {
    watcher = null;
    refusal = null;
    listening.accept(null);
  }

  @Override
  public long looksAfterNanos() {
    return watcher == null ? 0 : silentAfterNanos;
  }

  @Override
  public void silent() {
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current != null) {
      current.accept(Event.SILENT, null);
    }
  }

  /** Says what closes the connection's socket if it is silent and the node answers elsewhere. */
  public void watchedBy(Runnable answeredElsewhere) {
    this.whenAnsweredElsewhere = answeredElsewhere;
  }

  /** The node answers, and this connection is silent. */
  void answeredElsewhere() {
    whenAnsweredElsewhere.run();
  }

  /** Has commands fail at once for a reason; null: no more. */
  void refuse(@Nullable String reason) {
    refusal = reason;
  }

  /** Why commands are to fail at once, or null if they are not. */
  public @Nullable String refusal() {
    return refusal;
  }

  boolean isConnected() {
    return connected;
  }

  /** When the last good reply came, or {@link #NEVER}. */
  long lastGood() {
    return lastGood.get();
  }

  /** Since when a reply is awaited, or {@link #NEVER}. */
  long waitingSince() {
    return waitingSince.get();
  }

  /** The connection is there, and its handshake was answered. */
  public void connected() {
    observed = null;
    waitingSince.lazySet(NEVER);
    connected = true;
    // The handshake was answered.
    lastGood.lazySet(now());
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current != null) {
      current.accept(Event.CONNECTED, null);
    }
  }

  /** The connection was lost. */
  public void lost() {
    connected = false;
    // What came before the loss says nothing about what comes after it.
    lastGood.lazySet(NEVER);
    observed = null;
    waitingSince.lazySet(NEVER);
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current != null) {
      current.accept(Event.LOST, null);
    }
  }

  /**
   * Commands are about to be written, or were.
   *
   * @param nanos when, by System.nanoTime
   */
  public void departed(Object flight, long nanos) {
    if (observed == null) {
      observed = flight;
      waitingSince.lazySet(nanos | 1);
    }
  }

  /**
   * All replies to these commands have been read.
   *
   * @param last the output of the last of them
   */
  public void arrived(Object flight, @Nullable CommandOutput<?, ?, ?> last) {
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current == null) {
      return;
    }
    long now = now();
    boolean late = false;
    if (observed == flight) {
      late = now - waitingSince.get() > lateNanos;
      observed = null;
      waitingSince.lazySet(NEVER);
    }
    if (last == null) {
      return;
    }
    if (!last.hasError()) {
      if (!late) {
        lastGood.lazySet(now);
      }
    } else if (concernsTheNode(last.getError())) {
      current.accept(Event.REFUSED, last.getError());
    }
  }

  private static boolean concernsTheNode(String error) {
    return error.startsWith("LOADING")
        || error.startsWith("MASTERDOWN")
        || error.startsWith("READONLY")
        || error.startsWith("CLUSTERDOWN");
  }
}
