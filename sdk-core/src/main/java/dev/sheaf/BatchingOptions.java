// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * The limits of batching, each for one node connection. Immutable; {@link #defaults()} fits most
 * clients.
 */
public final class BatchingOptions {

  private static final int MAX_LANES = 64;
  private static final BatchingOptions DEFAULTS = builder().build();

  private final boolean fusion;
  private final boolean hashFusion;
  private final int maxFusedKeys;
  private final int maxQueuedCommands;
  private final long maxQueuedBytes;
  private final int maxInFlightCommands;
  private final long maxInFlightBytes;
  private final int maxBatchBytes;
  private final int maxLanes;

  private BatchingOptions(Builder given) {
    fusion = given.fusion;
    hashFusion = given.hashFusion;
    maxFusedKeys = atLeast(2, "maxFusedKeys", given.maxFusedKeys);
    maxQueuedCommands = atLeast(1, "maxQueuedCommands", given.maxQueuedCommands);
    maxQueuedBytes = atLeast(1, "maxQueuedBytes", given.maxQueuedBytes);
    maxInFlightCommands = atLeast(1, "maxInFlightCommands", given.maxInFlightCommands);
    maxInFlightBytes = atLeast(1, "maxInFlightBytes", given.maxInFlightBytes);
    maxBatchBytes = atLeast(1, "maxBatchBytes", given.maxBatchBytes);
    maxLanes = atLeast(0, "maxLanes", given.maxLanes);
    if (maxLanes > MAX_LANES) {
      throw new IllegalArgumentException(
          "maxLanes must be at most " + MAX_LANES + ", but was " + maxLanes);
    }
  }

  private static int atLeast(int least, String name, int value) {
    return (int) atLeast((long) least, name, value);
  }

  private static long atLeast(long least, String name, long value) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + " must be at least " + least + ", but was " + value);
    }
    return value;
  }

  /** The default options. */
  public static BatchingOptions defaults() {
    return DEFAULTS;
  }

  /** Creates a builder with the default options. */
  public static Builder builder() {
    return new Builder();
  }

  /** Creates a builder with these options. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.fusion = fusion;
    builder.hashFusion = hashFusion;
    builder.maxFusedKeys = maxFusedKeys;
    builder.maxQueuedCommands = maxQueuedCommands;
    builder.maxQueuedBytes = maxQueuedBytes;
    builder.maxInFlightCommands = maxInFlightCommands;
    builder.maxInFlightBytes = maxInFlightBytes;
    builder.maxBatchBytes = maxBatchBytes;
    builder.maxLanes = maxLanes;
    return builder;
  }

  /**
   * Whether runs of GETs are sent as MGET; true by default, because the cost per command exceeds
   * the cost per key. Results are those of GET either way.
   */
  public boolean fusion() {
    return fusion;
  }

  /**
   * Whether runs of HGETs of one hash are sent as HMGET; true by default, for the same reason.
   * Results are those of HGET either way.
   */
  public boolean hashFusion() {
    return hashFusion;
  }

  /**
   * The most keys in one MGET, or fields in one HMGET, at least 2; 100 by default, because much
   * longer commands noticeably delay other clients of the server.
   */
  public int maxFusedKeys() {
    return maxFusedKeys;
  }

  /**
   * The most queued commands, at least 1; 65,536 by default. Further ones fail with {@link
   * QueueFullException}.
   */
  public int maxQueuedCommands() {
    return maxQueuedCommands;
  }

  /**
   * The most queued request bytes, at least 1; 32 MiB by default. A single larger command is
   * admitted to an empty queue.
   */
  public long maxQueuedBytes() {
    return maxQueuedBytes;
  }

  /**
   * The most commands in flight, at least 1; 16,384 by default. That is several times what fills a
   * connection with a round trip of 10 ms, and few replies for the server to buffer. Further
   * commands wait in the queue.
   */
  public int maxInFlightCommands() {
    return maxInFlightCommands;
  }

  /**
   * The most request bytes in flight, at least 1; 32 MiB by default. A single larger command is
   * sent alone.
   */
  public long maxInFlightBytes() {
    return maxInFlightBytes;
  }

  /**
   * The request bytes after which a batch is written, at least 1; 64 KiB by default, the size at
   * which Netty considers a socket full.
   */
  public int maxBatchBytes() {
    return maxBatchBytes;
  }

  /**
   * The most lanes: connections to a server in addition to the main one, 0 to 64. The default of 7
   * gives each of up to eight concurrently blocking callers its own connection. Lanes are opened
   * one by one when callers find none free, and closed after a minute without use. If there are
   * more threads than lanes, all share the main connection, where batches form. A connection to a
   * cluster has at most 12 to all nodes together, shared equally: four to each of three nodes,
   * replicas counted, and none if there are more than twelve. A primary can have twice as many if
   * {@code ReadFrom} reads from it, too.
   */
  public int maxLanes() {
    return maxLanes;
  }

  /** A builder of options. {@link #build()} checks them. */
  public static final class Builder {

    private boolean fusion = true;
    private boolean hashFusion = true;
    private int maxFusedKeys = 100;
    private int maxQueuedCommands = 65_536;
    private long maxQueuedBytes = 32L << 20;
    private int maxInFlightCommands = 16_384;
    private long maxInFlightBytes = 32L << 20;
    private int maxBatchBytes = 64 << 10;
    private int maxLanes = 7;

    private Builder() {}

    /** See {@link BatchingOptions#fusion()}. */
    public Builder fusion(boolean fusion) {
      this.fusion = fusion;
      return this;
    }

    /** See {@link BatchingOptions#hashFusion()}. */
    public Builder hashFusion(boolean hashFusion) {
      this.hashFusion = hashFusion;
      return this;
    }

    /** See {@link BatchingOptions#maxFusedKeys()}. */
    public Builder maxFusedKeys(int maxFusedKeys) {
      this.maxFusedKeys = maxFusedKeys;
      return this;
    }

    /** See {@link BatchingOptions#maxQueuedCommands()}. */
    public Builder maxQueuedCommands(int maxQueuedCommands) {
      this.maxQueuedCommands = maxQueuedCommands;
      return this;
    }

    /** See {@link BatchingOptions#maxQueuedBytes()}. */
    public Builder maxQueuedBytes(long maxQueuedBytes) {
      this.maxQueuedBytes = maxQueuedBytes;
      return this;
    }

    /** See {@link BatchingOptions#maxInFlightCommands()}. */
    public Builder maxInFlightCommands(int maxInFlightCommands) {
      this.maxInFlightCommands = maxInFlightCommands;
      return this;
    }

    /** See {@link BatchingOptions#maxInFlightBytes()}. */
    public Builder maxInFlightBytes(long maxInFlightBytes) {
      this.maxInFlightBytes = maxInFlightBytes;
      return this;
    }

    /** See {@link BatchingOptions#maxBatchBytes()}. */
    public Builder maxBatchBytes(int maxBatchBytes) {
      this.maxBatchBytes = maxBatchBytes;
      return this;
    }

    /** See {@link BatchingOptions#maxLanes()}. */
    public Builder maxLanes(int maxLanes) {
      this.maxLanes = maxLanes;
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if an option is out of its range; the message names it
     */
    @CheckReturnValue
    public BatchingOptions build() {
      return new BatchingOptions(this);
    }
  }
}
