package dev.sheaf;

import java.util.function.Consumer;

/**
 * The limits of batching. Each bounds one node connection. Immutable; {@link #defaults()} fits most
 * clients, the {@code with} methods change one limit.
 *
 * @param fusion whether runs of GETs travel as MGET; on by default, because in Java the cost of a
 *     command outweighs that of a key. The meaning of GET is kept either way
 * @param hashFusion whether runs of HGETs of one hash travel as HMGET; on by default, for the same
 *     reason. The meaning of HGET is kept either way
 * @param maxFusedKeys most keys in one MGET, or fields in one HMGET, at least 2; 100 by default,
 *     since far longer commands delay the server's other clients noticeably
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
 * @param maxLanes most connections to a single server beside the main one, 0 to 64; 7 by default,
 *     so that up to eight threads that block for reads at once each have one. They are opened one
 *     by one, and only when threads have come at once; with more threads than lanes, all share the
 *     main connection, where batches form. A cluster has none
 */
public record BatchingOptions(
    boolean fusion,
    boolean hashFusion,
    int maxFusedKeys,
    int maxQueuedCommands,
    long maxQueuedBytes,
    int maxInFlightCommands,
    long maxInFlightBytes,
    int maxBatchBytes,
    int maxLanes) {

  private static final int MOST_LANES = 64;

  private static final BatchingOptions DEFAULTS =
      new BatchingOptions(true, true, 100, 65_536, 32L << 20, 16_384, 32L << 20, 64 << 10, 7);

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
    requireAtLeast("maxLanes", maxLanes, 0);
    if (maxLanes > MOST_LANES) {
      throw new IllegalArgumentException(
          "maxLanes must be at most " + MOST_LANES + ", but was " + maxLanes);
    }
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

  /** These options with fusion of GETs on or off. */
  public BatchingOptions withFusion(boolean fusion) {
    return changed(options -> options.fusion = fusion);
  }

  /** These options with fusion of HGETs on or off. */
  public BatchingOptions withHashFusion(boolean hashFusion) {
    return changed(options -> options.hashFusion = hashFusion);
  }

  /** These options with another {@link #maxFusedKeys()}. */
  public BatchingOptions withMaxFusedKeys(int maxFusedKeys) {
    return changed(options -> options.maxFusedKeys = maxFusedKeys);
  }

  /** These options with other limits for what waits to be written. */
  public BatchingOptions withMaxQueued(int maxQueuedCommands, long maxQueuedBytes) {
    return changed(
        options -> {
          options.maxQueuedCommands = maxQueuedCommands;
          options.maxQueuedBytes = maxQueuedBytes;
        });
  }

  /** These options with other limits for what is written and not yet answered. */
  public BatchingOptions withMaxInFlight(int maxInFlightCommands, long maxInFlightBytes) {
    return changed(
        options -> {
          options.maxInFlightCommands = maxInFlightCommands;
          options.maxInFlightBytes = maxInFlightBytes;
        });
  }

  /** These options with another {@link #maxBatchBytes()}. */
  public BatchingOptions withMaxBatchBytes(int maxBatchBytes) {
    return changed(options -> options.maxBatchBytes = maxBatchBytes);
  }

  /** These options with another {@link #maxLanes()}; 0 for one connection to each server. */
  public BatchingOptions withMaxLanes(int maxLanes) {
    return changed(options -> options.maxLanes = maxLanes);
  }

  private BatchingOptions changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finished();
  }

  /** The options while one is changed. */
  private static final class Draft {

    private boolean fusion;
    private boolean hashFusion;
    private int maxFusedKeys;
    private int maxQueuedCommands;
    private long maxQueuedBytes;
    private int maxInFlightCommands;
    private long maxInFlightBytes;
    private int maxBatchBytes;
    private int maxLanes;

    Draft(BatchingOptions options) {
      fusion = options.fusion;
      hashFusion = options.hashFusion;
      maxFusedKeys = options.maxFusedKeys;
      maxQueuedCommands = options.maxQueuedCommands;
      maxQueuedBytes = options.maxQueuedBytes;
      maxInFlightCommands = options.maxInFlightCommands;
      maxInFlightBytes = options.maxInFlightBytes;
      maxBatchBytes = options.maxBatchBytes;
      maxLanes = options.maxLanes;
    }

    BatchingOptions finished() {
      return new BatchingOptions(
          fusion,
          hashFusion,
          maxFusedKeys,
          maxQueuedCommands,
          maxQueuedBytes,
          maxInFlightCommands,
          maxInFlightBytes,
          maxBatchBytes,
          maxLanes);
    }
  }
}
