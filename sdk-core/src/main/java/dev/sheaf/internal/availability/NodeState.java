package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import java.time.Instant;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * UP, SLOW or DOWN: the state of one node, as it follows from its answers one after the other.
 *
 * <p>Thread-safe. State changes under the lock; readers look at volatile fields alone.
 */
final class NodeState {

  static final String STARTING =
      "no PING was answered yet, the guard opens its first connection; the data connection counts";

  private final AvailabilityOptions options;

  /**
   * Called with both statuses, in the lock, so that changes keep their order; it must only queue.
   */
  private final BiConsumer<AvailabilityStatus, AvailabilityStatus> tell;

  /** Called outside of the lock, after the state or its reason changed. */
  private final Runnable changed;

  private final Object lock = new Object();

  private volatile AvailabilityStatus status =
      new AvailabilityStatus(AvailabilityState.UP, STARTING, Instant.now(), null);

  private volatile long downAt;

  // Guarded by the lock.
  private int slowInRow;
  private int goodInRow;
  private boolean closed;

  NodeState(
      AvailabilityOptions options,
      BiConsumer<AvailabilityStatus, AvailabilityStatus> tell,
      Runnable changed) {
    this.options = options;
    this.tell = tell;
    this.changed = changed;
  }

  AvailabilityStatus status() {
    return status;
  }

  AvailabilityState state() {
    return status.state();
  }

  boolean isDown() {
    return state() == AvailabilityState.DOWN;
  }

  /** When the node was last found DOWN: what was heard before does not speak against it. */
  long downAt() {
    return downAt;
  }

  /** Nothing changes any more. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
  }

  /**
   * Judges an answer to PING.
   *
   * @param trouble why the node cannot be used although it answers, or null
   */
  void answered(boolean slow, long nanos, @Nullable String trouble) {
    boolean becomeSlow;
    boolean becomeUp;
    synchronized (lock) {
      slowInRow = slow ? slowInRow + 1 : 0;
      goodInRow = slow ? 0 : goodInRow + 1;
      becomeSlow = slowInRow >= options.slowAnswers();
      becomeUp = goodInRow >= options.goodAnswers();
    }
    String reason = String.format(Locale.ROOT, "answers PING in %.1f ms", nanos / 1e6);
    if (trouble != null) {
      down(trouble);
    } else if (becomeSlow) {
      become(AvailabilityState.SLOW, reason);
    } else if (becomeUp || (slow && isDown())) {
      become(slow ? AvailabilityState.SLOW : AvailabilityState.UP, reason);
    }
  }

  void down(String reason) {
    synchronized (lock) {
      goodInRow = 0;
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
          new AvailabilityStatus(state, reason, same ? before.since() : Instant.now(), null);
      status = after;
      if (!same) {
        tell.accept(before, after);
      }
    }
    changed.run();
  }
}
