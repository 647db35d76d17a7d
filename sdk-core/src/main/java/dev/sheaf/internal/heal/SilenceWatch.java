// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import dev.sheaf.availability.HealedConnection.Cause;
import dev.sheaf.internal.common.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * Watches one socket for silence: checks it periodically while replies are awaited.
 *
 * <p>With an availability guard, silence makes the guard send a PING on its own connection. If the
 * node answers there, {@link #answeredElsewhere} closes the socket. Without a guard, the socket is
 * closed after silence for longer than the command time-out.
 *
 * <p>Confined to the event loop of the socket, except for {@link #answeredElsewhere}.
 */
public final class SilenceWatch {

  /** How much longer than a command time-out silence must last; the time-out may be very short. */
  static final Duration GRACE = Duration.ofMillis(500);

  /** The longest time between checks, as a guard may be started at any time. */
  static final Duration LONGEST_STEP = Duration.ofSeconds(1);

  private static final Duration SHORTEST_STEP = Duration.ofMillis(10);

  /** The bytes per second expected of a slow link, to allow time for large requests. */
  private static final long SLOW_LINK_BYTES_PER_SECOND = 1 << 20;

  private final Healer healer;
  private final Socket socket;
  private final Guard guard;
  private final Timer timer;

  SilenceWatch(Healer healer, Socket socket, Guard guard, Timer timer) {
    this.healer = healer;
    this.socket = socket;
    this.guard = guard;
    this.timer = timer;
  }

  /** Starts, because replies are awaited. Calls {@link Socket#unwatched} at the end. */
  public void begin() {
    lookAfter(stepNanos(0));
  }

  private void lookAfter(long nanos) {
    if (!timer.after(this::lookOnLoop, nanos)) {
      socket.unwatched();
    }
  }

  private void lookOnLoop() {
    try {
      socket.execute(this::look);
    } catch (RejectedExecutionException shutDown) {
      // There is nothing left to watch.
    }
  }

  private void look() {
    if (!socket.isAwaiting()) {
      socket.unwatched();
      return;
    }
    long again = LONGEST_STEP.toNanos();
    try {
      long silent = socket.silentNanos();
      again = stepNanos(silent);
      judge(silent);
    } finally {
      // Also after a check that throws.
      lookAfter(again);
    }
  }

  private void judge(long silent) {
    long guarded = guard.looksAfterNanos();
    if (isBeyondTimeout()) {
      healer.suspect(
          socket,
          Cause.SILENT,
          "nothing was read for "
              + Duration.ofNanos(silent).toMillis()
              + " ms, longer than the command time-out",
          this::isBeyondTimeout);
    } else if (guarded > 0 && silent >= guarded) {
      guard.silent();
    }
  }

  private boolean isBeyondTimeout() {
    return !socket.isBlocking() && socket.silentNanos() >= limitNanos();
  }

  private long limitNanos() {
    // A command may have no time-out.
    return Math.min(socket.timeoutNanos(), Long.MAX_VALUE / 2) + GRACE.toNanos();
  }

  private long stepNanos(long silent) {
    long guarded = guard.looksAfterNanos();
    long step = LONGEST_STEP.toNanos();
    if (guarded > 0) {
      step = Math.min(step, silent < guarded ? guarded - silent : guarded);
    }
    long limit = limitNanos();
    if (silent < limit) {
      step = Math.min(step, limit - silent);
    }
    return Math.max(SHORTEST_STEP.toNanos(), step);
  }

  /** Called when the node answers on another connection. Any thread. */
  public void answeredElsewhere() {
    long least = guard.looksAfterNanos();
    healer.suspect(
        socket,
        Cause.SILENT,
        "the node answers, and on this connection nothing was read for "
            + Duration.ofNanos(least).toMillis()
            + " ms",
        () -> isSilentFor(least + uploadNanos()));
  }

  /** Whether silence is normal, because the next reply belongs to a command that may block. */
  private boolean isSilentFor(long nanos) {
    long silent = socket.silentNanos();
    return silent > 0 && silent >= nanos && !socket.isBlocking() && !socket.isUnknown();
  }

  private long uploadNanos() {
    return Duration.ofSeconds(1).toNanos() * socket.inFlightBytes() / SLOW_LINK_BYTES_PER_SECOND;
  }
}
