// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import dev.sheaf.availability.HealedConnection.Cause;
import dev.sheaf.internal.common.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * The watch for silence over one socket: looks now and then for as long as replies are awaited.
 *
 * <p>With an availability guard, silence makes that ask on its own connection; if the node answers
 * there, {@link #answeredElsewhere} has the socket closed. Without one, silence for longer than the
 * command time-out does.
 *
 * <p>Confined to the event loop of the socket, but for {@link #answeredElsewhere}.
 */
public final class SilenceWatch {

  /** What silence may last beyond a command time-out; a time-out may be very short. */
  static final Duration GRACE = Duration.ofMillis(500);

  /** A guard may come at any time, so looks are not further apart. */
  static final Duration LONGEST_STEP = Duration.ofSeconds(1);

  private static final Duration SHORTEST_STEP = Duration.ofMillis(10);

  /** A large request takes its time: so many bytes a second are expected of a slow link. */
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

  /** Begins, because replies are awaited; {@link Socket#unwatched} tells when it has ended. */
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
      // Nothing is left to be watched.
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
      // A look that throws is not the last one.
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
    // A command may have for ever.
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

  /** The node answers on another connection. On any thread. */
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

  /** A server may answer others while a command waits that blocks, or may. */
  private boolean isSilentFor(long nanos) {
    long silent = socket.silentNanos();
    return silent > 0 && silent >= nanos && !socket.isBlocking() && !socket.isUnknown();
  }

  private long uploadNanos() {
    return Duration.ofSeconds(1).toNanos() * socket.inFlightBytes() / SLOW_LINK_BYTES_PER_SECOND;
  }
}
