// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import dev.sheaf.availability.HealedConnection;
import dev.sheaf.availability.HealedConnection.Cause;
import dev.sheaf.internal.common.Timer;
import java.net.SocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes the socket of one node connection when it does not recover, so that Lettuce opens another
 * one and resolves the name again.
 *
 * <p>A suspicion is checked twice, a moment apart, before the socket is closed. Data already in the
 * socket is read in between, even if the event loop was paused. The least time between two closings
 * doubles each time.
 *
 * <p>Thread-safe.
 */
public final class Healer {

  /** The delay before the first check, and again before the second. */
  static final Duration SETTLE = Duration.ofMillis(20);

  /** The least time between closing a socket and the next one; it doubles each time. */
  private static final Duration MIN_PAUSE = Duration.ofMillis(250);

  /** The longest such time: a name may resolve to the wrong node for a while. */
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  /** The share by which it is shortened at random, so that instances do not connect in step. */
  private static final double JITTER = 0.5;

  private static final int MAX_DOUBLINGS = 16;

  /** In place of a delay: there is no further check. */
  private static final long OVER = -1;

  private final Healing client;
  private final Timer timer;
  private volatile @Nullable Socket current;
  private volatile boolean closed;

  // Guarded by this.
  private boolean suspecting;
  private int healedInRow;
  private long healedAt;

  Healer(Healing client, Timer timer) {
    this.client = client;
    this.timer = timer;
  }

  /** Called when the connection has a new socket. */
  public void opened(Socket socket) {
    current = socket;
  }

  /** Called when the socket is lost. */
  public void lost(Socket socket) {
    if (current == socket) {
      current = null;
    }
  }

  /** Closes the healer with its connection. */
  public void close() {
    closed = true;
    client.closed(this);
  }

  /** Creates a watch for silence of a new socket. */
  public SilenceWatch watch(Socket socket, Guard guard) {
    return new SilenceWatch(this, socket, guard, timer);
  }

  /** How long a node may refuse all commands, in nanoseconds. */
  public long refusedForNanos() {
    return client.options().refusedFor().toNanos();
  }

  /** The current time, as System.nanoTime. */
  public long now() {
    return client.now();
  }

  /** Called when the node refused a command because it is a replica. */
  public void replica(Socket socket, String error) {
    String reason = "it is a replica now, " + error;
    if (suspect(socket, Cause.REPLICA, reason, () -> true)) {
      client.replica(this, socket.address(), reason);
    }
  }

  void replicaAt(String address, String reason) {
    Socket socket = current;
    if (socket != null && socket.address().equals(address)) {
      suspect(socket, Cause.REPLICA, reason, () -> true);
    }
  }

  void failedOver(SocketAddress from, String reason) {
    Socket socket = current;
    if (socket != null && socket.isAt(from)) {
      suspect(socket, Cause.FAILOVER, reason, () -> true);
    }
  }

  /**
   * Starts a suspicion against a socket.
   *
   * @param still whether the suspicion still holds; called on the event loop
   * @return whether it was started; not while there is another one
   */
  public boolean suspect(Socket socket, Cause cause, String reason, BooleanSupplier still) {
    long pause;
    synchronized (this) {
      if (suspecting || closed || !client.options().enabled() || !socket.isReplaceable()) {
        return false;
      }
      suspecting = true;
      pause = pauseNanos();
    }
    later(new Suspicion(socket, cause, reason, still), pause);
    return true;
  }

  /** The delay until the socket may be closed if the suspicion is confirmed. */
  private long pauseNanos() {
    long first = SETTLE.toNanos() + jitter(MIN_PAUSE.toNanos());
    long since = client.now() - healedAt;
    if (healedInRow == 0 || since > 2 * MAX_PAUSE.toNanos()) {
      healedInRow = 0;
      return first;
    }
    long doubled = MIN_PAUSE.toNanos() << Math.min(healedInRow - 1, MAX_DOUBLINGS);
    long pause = Math.min(MAX_PAUSE.toNanos(), doubled);
    return Math.max(first, pause - jitter(pause) - since);
  }

  private long jitter(long pause) {
    return client.upTo((long) (JITTER * pause));
  }

  private void later(Suspicion suspicion, long nanos) {
    if (!timer.after(() -> lookOnLoop(suspicion), nanos)) {
      drop();
    }
  }

  private void lookOnLoop(Suspicion suspicion) {
    try {
      suspicion.socket.execute(() -> look(suspicion));
    } catch (RejectedExecutionException shutDown) {
      drop();
    }
  }

  /** Checks once. A check that throws ends the suspicion, so that another one can start. */
  private void look(Suspicion suspicion) {
    long again = OVER;
    try {
      again = next(suspicion);
    } finally {
      if (again == OVER) {
        drop();
      }
    }
    if (again != OVER) {
      later(suspicion, again);
    }
  }

  /** The delay until the next check, or {@link #OVER}. */
  private long next(Suspicion suspicion) {
    if (!suspicion.holds()) {
      return OVER;
    }
    if (!suspicion.heldBefore) {
      suspicion.heldBefore = true;
      // A turn taken for a suspicion that ends is lost, but the next one comes soon.
      return Math.max(SETTLE.toNanos(), client.takeTurn());
    }
    close(suspicion);
    return OVER;
  }

  private void close(Suspicion suspicion) {
    synchronized (this) {
      healedInRow++;
      healedAt = client.now();
    }
    HealedConnection healed =
        new HealedConnection(
            suspicion.socket.address(), suspicion.cause, suspicion.reason, Instant.now());
    try {
      client.healed(healed);
    } finally {
      suspicion.socket.close();
    }
    timer.after(() -> client.tell(healed), 0);
  }

  private synchronized void drop() {
    suspecting = false;
  }

  /** A suspicion against a socket. */
  private final class Suspicion {

    private final Socket socket;
    private final Cause cause;
    private final String reason;
    private final BooleanSupplier still;

    /** Whether the first check confirmed it. Confined to the event loop. */
    private boolean heldBefore;

    Suspicion(Socket socket, Cause cause, String reason, BooleanSupplier still) {
      this.socket = socket;
      this.cause = cause;
      this.reason = reason;
      this.still = still;
    }

    boolean holds() {
      return !closed && socket == current && socket.isReplaceable() && still.getAsBoolean();
    }
  }
}
