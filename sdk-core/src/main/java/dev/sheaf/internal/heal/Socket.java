// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import java.net.SocketAddress;

/** The live socket of a node connection, as seen by a {@link Healer}. */
public interface Socket {

  /** The node as {@code host:port}. */
  String address();

  /** Whether it is connected to that address. Any thread. */
  boolean isAt(SocketAddress other);

  /** Whether Lettuce opens another socket once this one is closed. Any thread. */
  boolean isReplaceable();

  /**
   * Runs a task on the event loop of the socket.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the client was shut down
   */
  void execute(Runnable task);

  /**
   * How long a reply has been awaited without reading anything; 0 if none is awaited. On the event
   * loop.
   */
  long silentNanos();

  /**
   * Whether the next reply belongs to a blocking command that is still awaited. On the event loop.
   */
  boolean isBlocking();

  /** Whether that command is unknown, so that it may block. On the event loop. */
  boolean isUnknown();

  /** Whether any reply is awaited. On the event loop. */
  boolean isAwaiting();

  /** Called when the watch ends; it starts again with the next command. On the event loop. */
  void unwatched();

  /** The time-out of the command whose reply comes next. On the event loop. */
  long timeoutNanos();

  /** The size of the unanswered requests. On the event loop. */
  long inFlightBytes();

  /** Closes the socket as if the connection had been lost. */
  void close();
}
