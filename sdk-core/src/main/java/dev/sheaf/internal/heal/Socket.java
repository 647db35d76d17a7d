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
   * For how long a reply has been awaited and nothing was read; 0 if none is awaited, or if the
   * server may take its time. On the event loop.
   */
  long silentNanos();

  /** Whether any reply is awaited. On the event loop. */
  boolean isAwaiting();

  /** How long the command whose reply comes next may take. On the event loop. */
  long timeoutNanos();

  /** Request bytes that were written and not answered. On the event loop. */
  long inFlightBytes();

  /** Closes it, as if the connection had been lost. */
  void close();
}
