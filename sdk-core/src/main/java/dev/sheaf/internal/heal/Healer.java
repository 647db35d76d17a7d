package dev.sheaf.internal.heal;

import dev.sheaf.availability.HealedConnection;
import dev.sheaf.availability.HealedConnection.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The judge of one node connection: closes its socket when that stays broken, so that another one
 * is opened. Lettuce resolves the name anew for that.
 *
 * <p>A suspicion is looked at twice, a moment apart, before the socket is closed: what lies in the
 * socket is read meanwhile, even if the event loop itself stood still. Between two closings lies a
 * pause that doubles each time.
 *
 * <p>Thread-safe.
 */
public final class Healer {

  /** Before the first look and again before the second. */
  static final Duration SETTLE = Duration.ofMillis(20);

  private static final int MAX_DOUBLINGS = 16;

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

  /** The connection has a socket. */
  public void opened(Socket socket) {
    current = socket;
  }

  /** The socket is lost. */
  public void lost(Socket socket) {
    if (current == socket) {
      current = null;
    }
  }

  /** Ends it with its connection. */
  public void close() {
    closed = true;
    client.closed(this);
  }

  /** A watch for silence over a new socket. */
  public SilenceWatch watch(Socket socket, Guard guard) {
    return new SilenceWatch(this, socket, guard, timer);
  }

  /** How long a node may refuse everything, in nanoseconds. */
  public long refusedForNanos() {
    return client.options().refusedFor().toNanos();
  }

  /** The current time, as System.nanoTime. */
  public long now() {
    return client.now();
  }

  /** The node refused a command because it is a replica. */
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

  /**
   * Something speaks against a socket.
   *
   * @param still whether it still does; asked on the event loop
   * @return whether this is news; not while another suspicion is looked into
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
    Suspicion suspicion = new Suspicion(socket, cause, reason, still);
    later(() -> onLoop(suspicion, () -> look(suspicion)), pause);
    return true;
  }

  /** The time until the socket may be closed, were it as broken as it seems. */
  private long pauseNanos() {
    long shortest = client.options().minPause().toNanos();
    long longest = Math.max(shortest, client.options().maxPause().toNanos());
    double jitter = client.options().jitter();
    long first = SETTLE.toNanos() + client.upTo((long) (jitter * shortest));
    long since = client.now() - healedAt;
    if (healedInRow > 0 && since > 2 * longest) {
      healedInRow = 0;
    }
    if (healedInRow == 0) {
      return first;
    }
    long pause = Math.min(longest, shortest << Math.min(healedInRow - 1, MAX_DOUBLINGS));
    return Math.max(first, pause - client.upTo((long) (jitter * pause)) - since);
  }

  private void look(Suspicion suspicion) {
    if (suspicion.holds()) {
      later(() -> onLoop(suspicion, () -> decide(suspicion)), SETTLE.toNanos());
    } else {
      drop();
    }
  }

  private void decide(Suspicion suspicion) {
    if (!suspicion.holds()) {
      drop();
      return;
    }
    long turn = client.takeTurn();
    if (turn > 0) {
      later(() -> onLoop(suspicion, () -> decide(suspicion)), turn + client.upTo(turn));
      return;
    }
    synchronized (this) {
      suspecting = false;
      healedInRow++;
      healedAt = client.now();
    }
    HealedConnection healed =
        new HealedConnection(
            suspicion.socket.address(), suspicion.cause, suspicion.reason, Instant.now());
    client.healed(healed);
    suspicion.socket.close();
    timer.after(() -> client.tell(healed), 0);
  }

  private void onLoop(Suspicion suspicion, Runnable task) {
    try {
      suspicion.socket.execute(task);
    } catch (RejectedExecutionException shutDown) {
      drop();
    }
  }

  private void later(Runnable task, long nanos) {
    if (!timer.after(task, nanos)) {
      drop();
    }
  }

  private synchronized void drop() {
    suspecting = false;
  }

  /** What speaks against a socket. */
  private final class Suspicion {

    private final Socket socket;
    private final Cause cause;
    private final String reason;
    private final BooleanSupplier still;

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
