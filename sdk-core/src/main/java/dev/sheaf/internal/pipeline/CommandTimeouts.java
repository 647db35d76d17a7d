// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;

/** The time-outs of commands, by the same options as Lettuce's own. Thread-safe. */
public final class CommandTimeouts {

  private final TimeoutOptions options;
  private volatile long connectionNanos;

  /** For a connection whose own time-out is set later. */
  public CommandTimeouts(TimeoutOptions options) {
    this.options = options;
  }

  /** Sets the time-out that applies where the options leave it to the connection. */
  public void setConnectionTimeout(Duration timeout) {
    connectionNanos = timeout.toNanos();
  }

  /**
   * Lettuce's writer without its timer, for commands whose callers block and end their own waits.
   * The given one if a command may have another time-out than the one for which its caller waits.
   */
  RedisChannelWriter withoutTimer(RedisChannelWriter lettuce) {
    boolean same = !options.isTimeoutCommands() || options.isApplyConnectionTimeout();
    return same && lettuce instanceof CommandExpiryWriter timed ? timed.getDelegate() : lettuce;
  }

  /** The time-out in nanoseconds; 0 or less for none. */
  public long nanosFor(RedisCommand<?, ?, ?> command) {
    if (!options.isTimeoutCommands()) {
      return 0;
    }
    return options.isApplyConnectionTimeout()
        ? connectionNanos
        : options.getSource().getTimeUnit().toNanos(options.getSource().getTimeout(command));
  }

  /** The time-out in nanoseconds; the usual one if there is none or the source of it fails. */
  long nanosFor(RedisCommand<?, ?, ?> command, long usualNanos) {
    try {
      long nanos = nanosFor(command);
      return nanos > 0 ? nanos : usualNanos;
    } catch (RuntimeException ofTheUsersSource) {
      return usualNanos;
    }
  }
}
