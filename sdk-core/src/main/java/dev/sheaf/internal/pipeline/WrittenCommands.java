// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Stage;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.DecoratedCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered commands of one socket, as searched to explain why replies are late.
 *
 * <p>Thread-safe. The search runs on the event loop of the socket. If the event loop does not get
 * to it, that is the reason.
 */
final class WrittenCommands {

  /** How long to wait for the event loop before it counts as busy. */
  static final int LOOK_MILLIS = 25;

  /** How often to wait again while the thread of the event loop seems idle. */
  private static final int LOOKS = 8;

  /**
   * How long a busy event loop is remembered: thousands of commands may be late for that reason,
   * and must not each wait for it.
   */
  private static final long STUCK_KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * How long what was found for a flight counts for others: the interval at which other time-outs
   * are checked.
   */
  private static final long FLIGHT_KNOWN_NANOS =
      TimeUnit.MILLISECONDS.toNanos(CommandExpiry.INTERVAL_MILLIS);

  /** What was found, and when, by System.nanoTime. */
  private record Known(Lateness why, long seenNanos) {

    boolean isNewerThan(long nanos) {
      return System.nanoTime() - seenNanos < nanos;
    }
  }

  /** A search for one command; completes with null if it was not sent on this socket. */
  private static final class Search extends CompletableFuture<@Nullable Lateness> {

    private final RedisCommand<?, ?, ?> command;

    Search(RedisCommand<?, ?, ?> command) {
      this.command = command;
    }
  }

  private final Channel channel;
  private final LongSupplier nodeHeardNanos;
  private final Queue<Search> searches = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** What keeps the event loop busy; null if it is not. */
  private volatile @Nullable Known stuck;

  /** The reason of the flight that was late last. */
  private volatile @Nullable Known ofFlight;

  /**
   * For one socket.
   *
   * @param nodeHeardNanos when data was last read from the node, on any connection, by
   *     System.nanoTime
   */
  WrittenCommands(Channel channel, LongSupplier nodeHeardNanos) {
    this.channel = channel;
    this.nodeHeardNanos = nodeHeardNanos;
  }

  /**
   * Explains why a command has no reply. Waits briefly for the event loop.
   *
   * @return null if it was not sent on this socket
   */
  @Nullable Lateness find(RedisCommand<?, ?, ?> command) {
    Known known = stuck;
    boolean here = channel.eventLoop().inEventLoop();
    if (!here && known != null && known.isNewerThan(STUCK_KNOWN_NANOS)) {
      return known.why();
    }
    Search search = new Search(command);
    searches.add(search);
    if (here) {
      searchAll();
    } else {
      schedule();
    }
    try {
      return whenFound(search);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /**
   * As {@link #find}, for the first command of a flight that was sent on this socket. Thousands of
   * flights may be late at once, so what was found for one counts for those that follow at once.
   */
  @Nullable Lateness findFlight(RedisCommand<?, ?, ?> first) {
    Known known = ofFlight;
    if (known != null && known.isNewerThan(FLIGHT_KNOWN_NANOS)) {
      return known.why();
    }
    Lateness why = find(first);
    ofFlight = why == null ? null : new Known(why, System.nanoTime());
    return why;
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      try {
        channel.eventLoop().execute(this::searchAll);
      } catch (RejectedExecutionException shutDown) {
        scheduled.set(false);
        endAll(new Lateness(Stage.NO_CONNECTION, "the client was shut down"));
      }
    }
  }

  private void endAll(@Nullable Lateness why) {
    for (Search each = searches.poll(); each != null; each = searches.poll()) {
      each.complete(why);
    }
  }

  private @Nullable Lateness whenFound(Search search) throws InterruptedException {
    for (int look = 0; look < LOOKS; look++) {
      try {
        return search.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException neverFails) {
        return null;
      } catch (TimeoutException busy) {
        String frame = EventLoopFrame.of(channel);
        if (frame != null) {
          return stuck(search, Stage.EVENT_LOOP_BUSY, "the event loop is busy in " + frame);
        }
      }
    }
    return stuck(
        search,
        Stage.NOT_RUNNING,
        "the thread of the event loop has nothing to do and did not run for "
            + LOOKS * LOOK_MILLIS
            + " ms");
  }

  private @Nullable Lateness stuck(Search search, Stage stage, String details) {
    Lateness why = new Lateness(stage, details);
    stuck = new Known(why, System.nanoTime());
    if (search.isDone()) {
      // The event loop got to it meanwhile, and may have cleared the field before it was set.
      stuck = null;
      return search.join();
    }
    return why;
  }

  /**
   * Searches for all commands in one pass: thousands may be late at once, and a pass for each would
   * keep the event loop busy. On the event loop.
   */
  private void searchAll() {
    scheduled.set(false);
    stuck = null;
    Pass pass = new Pass();
    for (Search each = searches.poll(); each != null; each = searches.poll()) {
      pass.lookFor(each);
    }
    try {
      CommandHandler handler = channel.pipeline().get(CommandHandler.class);
      if (handler != null) {
        pass.through(handler.getStack());
      }
    } finally {
      pass.end();
    }
  }

  /** One pass through the unanswered commands. */
  private final class Pass {

    private final IdentityHashMap<RedisCommand<?, ?, ?>, Search> wanted = new IdentityHashMap<>();
    private final List<Search> found = new ArrayList<>();

    void lookFor(Search search) {
      Search same = wanted.putIfAbsent(search.command, search);
      if (same != null) {
        same.thenAccept(search::complete);
      }
    }

    void through(Iterable<? extends RedisCommand<?, ?, ?>> stack) {
      int ahead = 0;
      boolean answering = false;
      for (RedisCommand<?, ?, ?> waiting : stack) {
        if (wanted.isEmpty()) {
          return;
        }
        Flight flight = Flight.in(waiting);
        if (flight == null) {
          visit(waiting);
        } else {
          flight.forEachUnanswered(this::visit);
        }
        if (!found.isEmpty()) {
          Lateness why = written(flight, ahead, answering);
          found.forEach(search -> search.complete(why));
          found.clear();
        }
        ahead += flight == null ? 1 : flight.unanswered().size();
        answering |= flight != null && flight.isPartlyAnswered();
      }
    }

    /** Visits a command and all that it wraps. */
    private void visit(RedisCommand<?, ?, ?> outer) {
      RedisCommand<?, ?, ?> next = outer;
      while (true) {
        Search search = wanted.remove(next);
        if (search != null) {
          found.add(search);
        }
        if (!(next instanceof DecoratedCommand<?, ?, ?> decorated)) {
          return;
        }
        next = decorated.getDelegate();
      }
    }

    /** Ends the searches for what was not sent here. */
    void end() {
      wanted.values().forEach(search -> search.complete(null));
    }
  }

  private Lateness written(@Nullable Flight flight, int ahead, boolean answering) {
    if (flight == null) {
      return new Lateness(
          Stage.UNANSWERED, "it was written, and " + ahead + " commands are ahead of it");
    }
    String since =
        "it was written "
            + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - flight.sentNanos())
            + " ms ago";
    boolean heard = nodeHeardNanos.getAsLong() - flight.sentNanos() > 0;
    return answering || flight.isPartlyAnswered() || heard
        ? new Lateness(
            Stage.SERVER_SLOW,
            since + ", and the node answers others; " + ahead + " commands are ahead of it")
        : new Lateness(
            Stage.UNANSWERED,
            since
                + ", and the node has answered nothing since; "
                + ahead
                + " commands are ahead of it");
  }
}
