// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.TimeoutEvent;
import io.lettuce.core.protocol.RedisCommand;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Explains, as far as possible, why commands of one node connection are late. Thread-safe. */
public final class LateReasons implements CommandExpiry.Reasons, CommandHolder {

  private final NodePipeline pipeline;
  private final BatchingOptions options;
  private final @Nullable BatchMeters meters;
  private final long createdNanos = System.nanoTime();

  LateReasons(NodePipeline pipeline, BatchingOptions options, @Nullable BatchMeters meters) {
    this.pipeline = pipeline;
    this.options = options;
    this.meters = meters;
  }

  /** The node, as the end of a sentence; empty before the first connection. */
  @Override
  public String byAddress() {
    NodeChannel last = pipeline.lastChannel();
    return last == null ? "" : " by " + last.address();
  }

  /** When data was last read from the node, here or on a lane, by System.nanoTime. */
  @Override
  public long heardNanos() {
    NodeChannel last = pipeline.lastChannel();
    long heard = last == null ? createdNanos : last.heardNanos();
    Lanes beside = pipeline.lanes();
    return beside == null ? heard : beside.heardNanos(heard);
  }

  /** The reason as known now. Waits briefly for the event loop. */
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
    return EncodedCommand.isMember(command) ? Lateness.withoutExec() : whyNotSent();
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

  /** The reason is found out once, by the first of them. */
  @Override
  public void expire(Collection<? extends RedisCommand<?, ?, ?>> commands, long timeoutNanos) {
    RedisCommand<?, ?, ?> first = commands.iterator().next();
    Lateness why = Lateness.orPause(timeoutNanos, whyLate(first));
    String byAddress = byAddress();
    TimeoutEvent.commit(
        first.getType().toString(), byAddress, why, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
    int ended = 0;
    for (RedisCommand<?, ?, ?> command : commands) {
      // The reply may have arrived meanwhile, and then it counts.
      if (!command.isDone()
          && command.completeExceptionally(
              why.exception(command.getType().toString(), byAddress, timeoutNanos))) {
        ended++;
      }
    }
    if (ended > 0) {
      timedOut(why, ended);
    }
  }

  @Override
  public void timedOut(Lateness why, int commands) {
    if (meters != null) {
      meters.timedOut(why.stage(), commands);
    }
  }
}
