// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;

/** How long a command may take, by the options that Lettuce's own time-outs follow. Thread-safe. */
public final class CommandTimeouts {

  private final TimeoutOptions options;
  private volatile long connectionNanos;

  /** Of a connection, whose own time-out is still to be said. */
  public CommandTimeouts(TimeoutOptions options) {
    this.options = options;
  }

  /** What counts where the options leave it to the connection. */
  public void setConnectionTimeout(Duration timeout) {
    connectionNanos = timeout.toNanos();
  }

  /** The time in nanoseconds; 0 or less if there is no limit. */
  public long nanosFor(RedisCommand<?, ?, ?> command) {
    if (!options.isTimeoutCommands()) {
      return 0;
    }
    return options.isApplyConnectionTimeout()
        ? connectionNanos
        : options.getSource().getTimeUnit().toNanos(options.getSource().getTimeout(command));
  }

  /** The time in nanoseconds; the usual one if there is no limit, or it cannot be told. */
  long nanosFor(RedisCommand<?, ?, ?> command, long usualNanos) {
    try {
      long nanos = nanosFor(command);
      return nanos > 0 ? nanos : usualNanos;
    } catch (RuntimeException ofTheUsersSource) {
      return usualNanos;
    }
  }
}
