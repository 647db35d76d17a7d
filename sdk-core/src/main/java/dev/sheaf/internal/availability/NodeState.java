// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one node, UP, SLOW or DOWN, with the evidence it follows from: answers to PINGs and
 * replies on the data connection.
 *
 * <p>Thread-safe. State changes under the lock. Readers use single volatile fields, each meaningful
 * by itself.
 */
final class NodeState {

  static final String STARTING =
      "no PING was answered yet, the guard opens its first connection; the data connection counts";

  private final AvailabilityOptions options;

  /**
   * Called with both statuses under the lock, so that changes stay in order. Must only queue them.
   */
  private final BiConsumer<AvailabilityStatus, AvailabilityStatus> tell;

  /** Called without the lock, after the state or its reason has changed. */
  private final Runnable changed;

  private final Object lock = new Object();

  private volatile AvailabilityStatus status =
      new AvailabilityStatus(AvailabilityState.UP, STARTING, Instant.now(), null);

  private volatile long downAt;

  private volatile @Nullable ReplyActivity signs;

  /** When the last good answer to a PING arrived. */
  private volatile long lastGood = ReplyActivity.NEVER;

  private volatile long roundTripNanos = -1;

  /** When an overdue PING was sent; NEVER if none is overdue. */
  private volatile long overdueSince = ReplyActivity.NEVER;

  // Guarded by the lock.
  private boolean slowBefore;
  private boolean closed;

  NodeState(
      AvailabilityOptions options,
      BiConsumer<AvailabilityStatus, AvailabilityStatus> tell,
      Runnable changed) {
    this.options = options;
    this.tell = tell;
    this.changed = changed;
  }

  /** The status with the latest round trip. */
  AvailabilityStatus status() {
    AvailabilityStatus known = status;
    return new AvailabilityStatus(known.state(), known.reason(), known.since(), roundTrip());
  }

  AvailabilityState state() {
    return status.state();
  }

  boolean isDown() {
    return state() == AvailabilityState.DOWN;
  }

  /** When the node was last found DOWN. Replies from before do not contradict that. */
  long downAt() {
    return downAt;
  }

  /** Stops changes of state. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
  }

  /** Judges an answer to a PING. Two slow answers in a row make the node SLOW. */
  void answered(boolean slow, long nanos) {
    boolean slowAgain;
    synchronized (lock) {
      slowAgain = slow && slowBefore;
      slowBefore = slow;
    }
    String trouble = dataTrouble();
    String reason = String.format(Locale.ROOT, "answers PING in %.1f ms", nanos / 1e6);
    if (trouble != null) {
      down(trouble);
      ReplyActivity data = signs;
      if (data != null && data.isConnected()) {
        data.answeredElsewhere();
      }
    } else if (slowAgain || (slow && isDown())) {
      become(AvailabilityState.SLOW, reason);
    } else if (!slow) {
      become(AvailabilityState.UP, reason);
    }
  }

  void down(String reason) {
    synchronized (lock) {
      downAt = ReplyActivity.now();
    }
    become(AvailabilityState.DOWN, reason);
  }

  void up(String reason) {
    become(AvailabilityState.UP, reason);
  }

  private void become(AvailabilityState state, String reason) {
    synchronized (lock) {
      AvailabilityStatus before = status;
      if (closed || (before.state() == state && state == AvailabilityState.UP)) {
        return;
      }
      boolean same = before.state() == state;
      AvailabilityStatus after =
          new AvailabilityStatus(state, reason, same ? before.since() : Instant.now(), roundTrip());
      status = after;
      breakCircuit(after);
      if (!same) {
        tell.accept(before, after);
      }
    }
    changed.run();
  }

  /** Makes commands fail at once while the node is DOWN, if the options say so. */
  private void breakCircuit(AvailabilityStatus now) {
    ReplyActivity data = signs;
    if (data != null && options.failFastWhileDown()) {
      data.refuse(now.state() == AvailabilityState.DOWN ? now.reason() : null);
    }
  }

  // ---- PINGs

  /** Records an answer to a PING. */
  void ponged(long nanos) {
    roundTripNanos = nanos;
    lastGood = ReplyActivity.now();
  }

  /** Records that a PING sent at that time is overdue. */
  void overdue(long sentAt) {
    overdueSince = sentAt;
  }

  void nothingOverdue() {
    overdueSince = ReplyActivity.NEVER;
  }

  /** When the last good answer to a PING arrived, or NEVER. */
  long lastGood() {
    return lastGood;
  }

  /** The round trip of the last good PING, or null. */
  @Nullable Duration roundTrip() {
    long nanos = roundTripNanos;
    return nanos < 0 ? null : Duration.ofNanos(nanos);
  }

  /** Whether a PING is overdue and no reply has arrived since it was sent. */
  boolean speaksAgainst(long heard) {
    long overdue = overdueSince;
    return overdue != ReplyActivity.NEVER && !isAfter(heard, overdue);
  }

  // ---- The data connection

  /** Starts to count the replies of a data connection. */
  void attach(
      @Nullable ReplyActivity data,
      @Nullable BiConsumer<ReplyActivity.Event, @Nullable String> watcher) {
    ReplyActivity before = signs;
    if (data != before) {
      if (before != null) {
        before.unwatch();
      }
      signs = data;
      if (data != null && watcher != null) {
        data.watch(watcher, options.timeout().toNanos(), options.downAfter().toNanos());
        breakCircuit(status);
      }
    }
  }

  void unwatch() {
    ReplyActivity data = signs;
    if (data != null) {
      data.unwatch();
    }
  }

  boolean hasData() {
    ReplyActivity data = signs;
    return data != null && data.isConnected();
  }

  /** When the last good reply arrived on the data connection or a lane, or NEVER. */
  long heard() {
    ReplyActivity data = signs;
    return data == null ? ReplyActivity.NEVER : later(data.lastGood(), data.lastGoodOnLane());
  }

  boolean heardSince(long time) {
    return isAfter(heard(), time);
  }

  /** When the last good reply arrived on either connection, or NEVER. */
  long lastHeard() {
    return later(heard(), lastGood);
  }

  /** Why the data connection does not work although the node answers, or null. */
  @Nullable String dataTrouble() {
    ReplyActivity data = signs;
    if (data == null) {
      return null;
    }
    if (!data.isConnected()) {
      return "the node answers, but the data connection is lost and not there again yet";
    }
    long since = data.waitingSince();
    long waited = since == ReplyActivity.NEVER ? 0 : System.nanoTime() - since;
    return waited > options.downAfter().toNanos() && !isAfter(data.lastGood(), since)
        ? String.format(
            Locale.ROOT,
            "the node answers, but the data connection has not for %.1f ms",
            waited / 1e6)
        : null;
  }

  private static long later(long time, long other) {
    return isAfter(time, other) ? time : other;
  }

  static boolean isAfter(long time, long other) {
    return time != ReplyActivity.NEVER && (other == ReplyActivity.NEVER || time - other > 0);
  }
}
