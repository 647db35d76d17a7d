// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.internal.heal.Guard;
import io.lettuce.core.output.CommandOutput;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The reply activity of one data connection: when the last good reply arrived, and since when a
 * reply is awaited.
 *
 * <p>Without a watcher, the connection reports no batches. With one, the cost is one look at the
 * clock at the end of each batch and, for one batch at a time, at its start. Only the last reply of
 * a batch counts. Errors and late replies are not good replies. Errors that concern the node are
 * passed on.
 *
 * <p>Replies on the lanes beside the connection count as well: for the node, and not for the
 * connection's own socket, which may be silent nevertheless.
 *
 * <p>Written on the event loop of the connection, and for lanes on theirs. Read by any thread. Kept
 * across reconnects.
 */
public final class ReplyActivity implements Guard {

  /** In place of a time. Times are never zero, since their lowest bit is set. */
  static final long NEVER = 0;

  /** Events to handle at once; delivered on the event loop that noticed them. */
  enum Event {
    /** The connection is open, for the first time or again. */
    CONNECTED,
    LOST,
    /** Nothing was read for the guard's limit of silence, although a reply is awaited. */
    SILENT,
    /** The server answered with an error that concerns all commands, given as the detail. */
    REFUSED
  }

  private volatile @Nullable BiConsumer<Event, @Nullable String> watcher;
  private volatile boolean connected;

  /** Called with this to start reports of batches, and with null to stop them. */
  private final Consumer<@Nullable ReplyActivity> listening;

  /** Set lazily: a reader may see it some nanoseconds late. */
  private final AtomicLong lastGood = new AtomicLong(NEVER);

  /** The same for the lanes. */
  private final AtomicLong lastGoodOnLane = new AtomicLong(NEVER);

  /** When the observed flight was sent; NEVER if there is none. Set lazily. */
  private final AtomicLong waitingSince = new AtomicLong(NEVER);

  private volatile long lateNanos = Long.MAX_VALUE;
  private volatile long silentAfterNanos;

  /** Called when the node answers on another connection. */
  private volatile Runnable whenAnsweredElsewhere = () -> {};

  /** Why commands fail at once, or null. */
  private volatile @Nullable String refusal;

  /** Confined to the event loop. */
  private @Nullable Object observed;

  /** Creates an activity without a watcher. */
  public ReplyActivity(Consumer<@Nullable ReplyActivity> listening) {
    this.listening = listening;
  }

  static long now() {
    return System.nanoTime() | 1;
  }

  /**
   * Starts recording.
   *
   * @param lateNanos after which a reply is late, and not a good reply
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

  /** Sets the action for when the connection is silent and the node answers elsewhere. */
  public void watchedBy(Runnable answeredElsewhere) {
    this.whenAnsweredElsewhere = answeredElsewhere;
  }

  /** Called when the node answers and this connection is silent. */
  void answeredElsewhere() {
    whenAnsweredElsewhere.run();
  }

  /** Makes commands fail at once with a reason; null to stop that. */
  void refuse(@Nullable String reason) {
    refusal = reason;
  }

  /** Why commands fail at once, or null if they do not. */
  public @Nullable String refusal() {
    return refusal;
  }

  boolean isConnected() {
    return connected;
  }

  /** When the last good reply arrived, or {@link #NEVER}. */
  long lastGood() {
    return lastGood.get();
  }

  /** When the last good reply arrived on a lane beside the connection, or {@link #NEVER}. */
  long lastGoodOnLane() {
    return lastGoodOnLane.get();
  }

  /** Since when a reply is awaited, or {@link #NEVER}. */
  long waitingSince() {
    return waitingSince.get();
  }

  /** Called when the connection is open and its handshake was answered. */
  public void connected() {
    observed = null;
    waitingSince.lazySet(NEVER);
    connected = true;
    // The handshake counts as a good reply.
    lastGood.lazySet(now());
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current != null) {
      current.accept(Event.CONNECTED, null);
    }
  }

  /** Called when the connection is lost. */
  public void lost() {
    connected = false;
    // Replies before the loss say nothing about the time after it.
    lastGood.lazySet(NEVER);
    lastGoodOnLane.lazySet(NEVER);
    observed = null;
    waitingSince.lazySet(NEVER);
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current != null) {
      current.accept(Event.LOST, null);
    }
  }

  /**
   * Called when a flight is sent.
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
   * Called when all replies of a flight have been read.
   *
   * @param last the output of the last command
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
    if (isGood(current, last) && !late) {
      lastGood.lazySet(now);
    }
  }

  /**
   * Called on the event loop of a lane when all replies of a flight have been read there.
   *
   * @param last the output of the last command
   * @param sentNanos when it was sent, by System.nanoTime
   */
  public void arrivedOnLane(@Nullable CommandOutput<?, ?, ?> last, long sentNanos) {
    BiConsumer<Event, @Nullable String> current = watcher;
    if (current != null) {
      long now = now();
      if (isGood(current, last) && now - sentNanos <= lateNanos) {
        lastGoodOnLane.lazySet(now);
      }
    }
  }

  /** Whether a reply is no error; passes on one that concerns the node. */
  private static boolean isGood(
      BiConsumer<Event, @Nullable String> watcher, @Nullable CommandOutput<?, ?, ?> reply) {
    if (reply == null || !reply.hasError()) {
      return reply != null;
    }
    if (concernsTheNode(reply.getError())) {
      watcher.accept(Event.REFUSED, reply.getError());
    }
    return false;
  }

  private static boolean concernsTheNode(String error) {
    return error.startsWith("LOADING")
        || error.startsWith("MASTERDOWN")
        || error.startsWith("READONLY")
        || error.startsWith("CLUSTERDOWN");
  }
}
