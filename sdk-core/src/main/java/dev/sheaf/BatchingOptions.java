package dev.sheaf;

/**
 * The limits of batching. Each bounds one node connection. Immutable; {@link #defaults()} fits most
 * clients, the {@code with} methods change one limit.
 *
 * @param fusion whether runs of GETs travel as MGET; on by default, because in Java the cost of a
 *     command outweighs that of a key. The meaning of GET is kept either way
 * @param maxFusedKeys most keys in one MGET, at least 2; 100 by default, since far longer commands
 *     delay the server's other clients noticeably
 * @param maxQueuedCommands most commands that wait to be written, at least 1; 65,536 by default.
 *     One more fails with {@link QueueFullException}
 * @param maxQueuedBytes most request bytes that wait to be written, at least 1; 32 MiB by default.
 *     A single larger command still passes through an empty queue
 * @param maxInFlightCommands most commands written and not yet answered, at least 1; 16,384 by
 *     default, several times what fills a connection over a 10 ms round trip, and little for the
 *     server to keep replies for. Further commands wait in the queue
 * @param maxInFlightBytes most request bytes written and not yet answered, at least 1; 32 MiB by
 *     default. A single larger command still travels alone
 * @param maxBatchBytes request bytes after which a batch is written, at least 1; 64 KiB by default,
 *     the size at which Netty considers a socket full
 */
public record BatchingOptions(
    boolean fusion,
    int maxFusedKeys,
    int maxQueuedCommands,
    long maxQueuedBytes,
    int maxInFlightCommands,
    long maxInFlightBytes,
    int maxBatchBytes) {

  private static final BatchingOptions DEFAULTS =
      new BatchingOptions(true, 100, 65_536, 32L << 20, 16_384, 32L << 20, 64 << 10);

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is below its minimum; the message names it
   */
  public BatchingOptions {
    requireAtLeast("maxFusedKeys", maxFusedKeys, 2);
    requireAtLeast("maxQueuedCommands", maxQueuedCommands, 1);
    requireAtLeast("maxQueuedBytes", maxQueuedBytes, 1);
    requireAtLeast("maxInFlightCommands", maxInFlightCommands, 1);
    requireAtLeast("maxInFlightBytes", maxInFlightBytes, 1);
    requireAtLeast("maxBatchBytes", maxBatchBytes, 1);
  }

  private static void requireAtLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(
          name + " must be at least " + minimum + ", but was " + value);
    }
  }

  /** The defaults named above. */
  public static BatchingOptions defaults() {
    return DEFAULTS;
  }

  /** These options with fusion on or off. */
  public BatchingOptions withFusion(boolean fusion) {
    return new BatchingOptions(
        fusion,
        maxFusedKeys,
        maxQueuedCommands,
        maxQueuedBytes,
        maxInFlightCommands,
        maxInFlightBytes,
        maxBatchBytes);
  }

  /** These options with another {@link #maxFusedKeys()}. */
  public BatchingOptions withMaxFusedKeys(int maxFusedKeys) {
    return new BatchingOptions(
        fusion,
        maxFusedKeys,
        maxQueuedCommands,
        maxQueuedBytes,
        maxInFlightCommands,
        maxInFlightBytes,
        maxBatchBytes);
  }

  /** These options with other limits for what waits to be written. */
  public BatchingOptions withMaxQueued(int maxQueuedCommands, long maxQueuedBytes) {
    return new BatchingOptions(
        fusion,
        maxFusedKeys,
        maxQueuedCommands,
        maxQueuedBytes,
        maxInFlightCommands,
        maxInFlightBytes,
        maxBatchBytes);
  }

  /** These options with other limits for what is written and not yet answered. */
  public BatchingOptions withMaxInFlight(int maxInFlightCommands, long maxInFlightBytes) {
    return new BatchingOptions(
        fusion,
        maxFusedKeys,
        maxQueuedCommands,
        maxQueuedBytes,
        maxInFlightCommands,
        maxInFlightBytes,
        maxBatchBytes);
  }

  /** These options with another {@link #maxBatchBytes()}. */
  public BatchingOptions withMaxBatchBytes(int maxBatchBytes) {
    return new BatchingOptions(
        fusion,
        maxFusedKeys,
        maxQueuedCommands,
        maxQueuedBytes,
        maxInFlightCommands,
        maxInFlightBytes,
        maxBatchBytes);
  }
}
