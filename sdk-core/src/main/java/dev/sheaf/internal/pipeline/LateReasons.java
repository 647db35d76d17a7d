// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.observe.Lateness;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TransactionalCommand;
import org.jspecify.annotations.Nullable;

/** Why the commands of one node connection are late, as far as it can be told. Thread-safe. */
public final class LateReasons implements CommandExpiry.Reasons {

  private final NodePipeline pipeline;
  private final BatchingOptions options;
  private final @Nullable BatchMeters meters;
  private final long createdNanos = System.nanoTime();

  LateReasons(NodePipeline pipeline, BatchingOptions options, @Nullable BatchMeters meters) {
    this.pipeline = pipeline;
    this.options = options;
    this.meters = meters;
  }

  /** Names the node, to end a sentence with; empty before it was connected. */
  @Override
  public String byAddress() {
    NodeChannel last = pipeline.lastChannel();
    return last == null ? "" : " by " + last.address();
  }

  /** When the node was last heard of, on this connection or a lane, by System.nanoTime. */
  @Override
  public long heardNanos() {
    NodeChannel last = pipeline.lastChannel();
    long heard = last == null ? createdNanos : last.heardNanos();
    Lanes beside = pipeline.lanes();
    return beside == null ? heard : beside.heardNanos(heard);
  }

  /** As far as it can be told now. Waits for the event loop a moment. */
  @Override
  public Lateness whyLate(RedisCommand<?, ?, ?> command) {
    NodeChannel current = pipeline.channel();
    if (current == null) {
      return whyNotSent();
    }
    Lateness written = current.find(command);
    Lanes beside = pipeline.lanes();
    if (written == null && beside != null) {
      written = beside.find(command);
    }
    if (written != null) {
      return written;
    }
    return isOfTransaction(command) ? Lateness.withoutExec() : whyNotSent();
  }

  /** Whether its reply says no more than that it is queued; the one that counts is EXEC's. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // Lettuce finds wrapped commands by their class.
  private static boolean isOfTransaction(RedisCommand<?, ?, ?> command) {
    return CommandWrapper.unwrap((RedisCommand) command, TransactionalCommand.class) != null;
  }

  @Override
  public Lateness whyNotSent() {
    NodeChannel current = pipeline.channel();
    return current == null
        ? Lateness.withoutConnection(pipeline.isGivenUp())
        : Lateness.unsent(
            pipeline.queue().commands(),
            current.isWritable() ? current.inFlightCommands() : Lateness.SOCKET_FULL,
            options);
  }

  @Override
  public void timedOut(Lateness why, int commands) {
    if (meters != null) {
      meters.timedOut(why.stage(), commands);
    }
  }
}
