// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Observe;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.heal.Healing;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The settings and services that all node connections of one client share.
 *
 * @param commandTimeout for commands; the time-out in a URI bounds connecting
 * @param writes tracks writes, for loops that have read ahead
 * @param meters null without a registry
 * @param compression null without compression
 * @param scriptTexts the scripts to load on each new socket
 * @param blockedCallers how many callers block for replies now: a few can drive an event loop each,
 *     many share batches
 * @param healing closes connections that do not recover
 * @param observe which commands have spans, if the client resources trace
 * @param yields how often a thread that waits yields the processor before it blocks
 */
public record ClientContext(
    BatchingOptions batching,
    Duration commandTimeout,
    WriteClock writes,
    @Nullable BatchMeters meters,
    @Nullable CompressionEngine compression,
    ScriptTexts scriptTexts,
    AtomicInteger blockedCallers,
    Healing healing,
    Observe observe,
    int yields) {

  /**
   * How often a thread yields with {@code SheafBuilder.yielding}: for some dozen microseconds, as
   * long as a nearby server needs.
   */
  public static final int YIELDS = 100;

  /** A copy with a lower limit of commands in each queue; 0 for no lower limit. */
  public ClientContext withAtMostQueued(int commands) {
    return commands <= 0 || commands >= batching.maxQueuedCommands()
        ? this
        : new ClientContext(
            batching.toBuilder().maxQueuedCommands(commands).build(),
            commandTimeout,
            writes,
            meters,
            compression,
            scriptTexts,
            blockedCallers,
            healing,
            observe,
            yields);
  }
}
