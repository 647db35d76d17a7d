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
 * <p>There are none until the node was connected: a span names its node. Thread-safe.
 */
public final class NodeSpans {

  private final @Nullable CommandSpans commands;
  private final @Nullable BatchSpans batches;

  /** Since when the first command of the next batch waits, if batches have spans; else 0. */
  private final AtomicLong waitingSince = new AtomicLong();

  private volatile Tracing.@Nullable Endpoint node;

  private NodeSpans(@Nullable CommandSpans commands, @Nullable BatchSpans batches) {
    this.commands = commands;
    this.batches = batches;
  }

  /** By the tracing of a client; null if neither commands nor batches have spans. */
  public static @Nullable NodeSpans of(Supplier<ClientResources> resources, Observe observe) {
    CommandSpans commands = CommandSpans.of(resources, observe);
    BatchSpans batches = BatchSpans.of(resources, observe);
    return commands == null && batches == null ? null : new NodeSpans(commands, batches);
  }

  /** What begins the spans of commands; null if they have none. */
  public @Nullable CommandSpans commands() {
    return commands;
  }

  /** The node is connected, for the first time or again. */
  public void connected(SocketAddress address) {
    if (commands != null) {
      node = commands.endpoint(address);
    } else if (batches != null) {
      node = batches.endpoint(address);
    }
  }

  /** The current thread calls a command, which is not encoded yet. */
  public void called(RedisCommand<?, ?, ?> command) {
    Tracing.Endpoint named = node;
    if (commands != null && named != null) {
      commands.begin(command, named);
    }
    noteWaiting();
  }

  /** The current thread calls a command that is encoded already. */
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
   * A batch is about to be written.
   *
   * @param batch tells when it is over
   * @param first the first command of a caller in it
   * @param commandCount how many callers' commands it carries
   * @param fused how many of them travel as part of another
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
