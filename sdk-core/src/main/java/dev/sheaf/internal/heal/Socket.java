// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

/** The live socket of a node connection, as far as a {@link Healer} has to know it. */
public interface Socket {

  /** The node as {@code host:port}. */
  String address();

  /** Whether another socket is opened once this one is closed. Safe for any thread. */
  boolean isReplaceable();

  /**
   * Runs a task on the event loop of the socket.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the client was shut down
   */
  void execute(Runnable task);

  /**
   * For how long a reply has been awaited and nothing was read; 0 if none is awaited. On the event
   * loop.
   */
  long silentNanos();

  /**
   * Whether the server may let the command wait whose reply comes next, and its caller still waits.
   * On the event loop.
   */
  boolean isBlocking();

  /** Whether nothing is known of that command, so that it may block. On the event loop. */
  boolean isUnknown();

  /** Whether any reply is awaited. On the event loop. */
  boolean isAwaiting();

  /** The watch for silence has ended, and begins anew with the next command. On the event loop. */
  void unwatched();

  /** How long the command whose reply comes next may take. On the event loop. */
  long timeoutNanos();

  /** Request bytes that were written and not answered. On the event loop. */
  long inFlightBytes();

  /** Closes it, as if the connection had been lost. */
  void close();
}
