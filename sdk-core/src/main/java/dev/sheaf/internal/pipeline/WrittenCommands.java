// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Stage;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered commands of one socket, as searched to explain why a reply is late.
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

  /** What keeps the event loop busy, and when that was seen, by System.nanoTime. */
  private record Stuck(Lateness why, long seenNanos) {}

  private final Channel channel;
  private final LongSupplier nodeHeardNanos;
  private volatile @Nullable Stuck stuck;

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
    if (channel.eventLoop().inEventLoop()) {
      return findHere(command);
    }
    Stuck known = stuck;
    if (known != null && System.nanoTime() - known.seenNanos() < STUCK_KNOWN_NANOS) {
      return known.why();
    }
    CompletableFuture<@Nullable Lateness> found = new CompletableFuture<>();
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                stuck = null;
                found.complete(findHere(command));
              });
      return whenFound(found);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException | RejectedExecutionException shutDown) {
      return new Lateness(Stage.NO_CONNECTION, "the client was shut down");
    }
  }

  private @Nullable Lateness whenFound(CompletableFuture<@Nullable Lateness> found)
      throws InterruptedException, ExecutionException {
    for (int look = 0; look < LOOKS; look++) {
      try {
        return found.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException busy) {
        String frame = EventLoopFrame.of(channel);
        if (frame != null) {
          return stuck(Stage.EVENT_LOOP_BUSY, "the event loop is busy in " + frame);
        }
      }
    }
    return stuck(
        Stage.NOT_RUNNING,
        "the thread of the event loop has nothing to do and did not run for "
            + LOOKS * LOOK_MILLIS
            + " ms");
  }

  private Lateness stuck(Stage stage, String details) {
    Lateness why = new Lateness(stage, details);
    stuck = new Stuck(why, System.nanoTime());
    return why;
  }

  private @Nullable Lateness findHere(RedisCommand<?, ?, ?> command) {
    CommandHandler handler = channel.pipeline().get(CommandHandler.class);
    if (handler == null) {
      return null;
    }
    int ahead = 0;
    boolean answering = false;
    for (RedisCommand<?, ?, ?> waiting : handler.getStack()) {
      Flight flight = Flight.in(waiting);
      if (flight == null ? Flight.wraps(waiting, command) : flight.carries(command)) {
        return written(flight, ahead, answering);
      }
      ahead += commandsOf(flight);
      answering |= flight != null && flight.isPartlyAnswered();
    }
    return null;
  }

  private static int commandsOf(@Nullable Flight flight) {
    return flight == null ? 1 : flight.unanswered().size();
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
