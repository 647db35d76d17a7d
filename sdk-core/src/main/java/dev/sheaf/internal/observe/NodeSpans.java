// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import dev.sheaf.Observe;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.Tracing;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The spans of the commands and batches of one node connection.
 *
 * <p>There are none before the first connection, because a span names its node. Thread-safe.
 */
public final class NodeSpans {

  private final @Nullable CommandSpans commands;
  private final @Nullable BatchSpans batches;

  /** When the first command of the next batch was called, if batches are traced; else 0. */
  private final AtomicLong waitingSince = new AtomicLong();

  private volatile Tracing.@Nullable Endpoint node;

  private NodeSpans(@Nullable CommandSpans commands, @Nullable BatchSpans batches) {
    this.commands = commands;
    this.batches = batches;
  }

  /** Creates the spans of a client; null if neither commands nor batches are traced. */
  public static @Nullable NodeSpans of(Supplier<ClientResources> resources, Observe observe) {
    CommandSpans commands = CommandSpans.of(resources, observe);
    BatchSpans batches = BatchSpans.of(resources, observe);
    return commands == null && batches == null ? null : new NodeSpans(commands, batches);
  }

  /** Starts the spans of commands; null if they are not traced. */
  public @Nullable CommandSpans commands() {
    return commands;
  }

  /** Called when the node is connected, for the first time or again. */
  public void connected(SocketAddress address) {
    if (commands != null) {
      node = commands.endpoint(address);
    } else if (batches != null) {
      node = batches.endpoint(address);
    }
  }

  /** Called by the calling thread before a command is encoded. */
  public void called(RedisCommand<?, ?, ?> command) {
    Tracing.Endpoint named = node;
    if (commands != null && named != null) {
      commands.begin(command, named);
    }
    noteWaiting();
  }

  /** Called by the calling thread for a command that is already encoded. */
  public void calledEncoded(RedisCommand<?, ?, ?> command) {
    Tracing.Endpoint named = node;
    if (commands != null && named != null) {
      commands.beginEncoded(command, named);
    }
    noteWaiting();
  }

  private void noteWaiting() {
    if (batches != null && waitingSince.get() == 0) {
      waitingSince.compareAndSet(0, System.nanoTime());
    }
  }

  /**
   * Starts the span of a batch that is about to be sent.
   *
   * @param batch completes when the batch is over
   * @param first the first command of a caller in it
   * @param commandCount how many commands of callers it contains
   * @param fused how many of them were fused
   * @param bytes the size of its requests
   * @param nowNanos the time, by System.nanoTime
   */
  public void departs(
      CompleteableCommand<?> batch,
      RedisCommand<?, ?, ?> first,
      int commandCount,
      int fused,
      long bytes,
      long nowNanos) {
    Tracing.Endpoint named = node;
    if (batches == null || named == null) {
      return;
    }
    long since = waitingSince.getAndSet(0);
    long queuedNanos = since == 0 ? 0 : Math.max(0, nowNanos - since);
    batches.begin(
        batch, first, named, new BatchSpans.Contents(commandCount, fused, bytes, queuedNanos));
  }
}
