// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A place where commands are until they are answered or move on: a node's pipeline, or the queue of
 * those that wait for the first connection to their node.
 *
 * <p>Thread-safe.
 */
public interface CommandHolder {

  /** How often to look for a command, since it may move on to another holder once. */
  int LOOKS = 2;

  /** A command that knows its holder, so that its time-out can say why it is late. */
  interface Tracked<K, V, T> extends RedisCommand<K, V, T> {

    /** Called each time before a holder takes it. */
    void heldBy(CommandHolder holder);

    /** The latest holder; null before the first. */
    @Nullable CommandHolder holder();

    /** Whether a thread waits or has waited for it, so that its caller knows how it ended. */
    default boolean isAwaited() {
      return false;
    }
  }

  /**
   * Fails commands with time-outs that say why, and counts them. Ignores those that are not held
   * here any more.
   *
   * @param commands not done, as far as the caller knows
   */
  void expire(Collection<? extends RedisCommand<?, ?, ?>> commands, long timeoutNanos);

  /** Fails those of the commands that are not done with time-outs. Each says why it is late. */
  static void expireAll(Collection<? extends Tracked<?, ?, ?>> commands, long timeoutNanos) {
    for (int look = 0; look < LOOKS; look++) {
      IdentityHashMap<CommandHolder, List<Tracked<?, ?, ?>>> late = new IdentityHashMap<>();
      for (Tracked<?, ?, ?> command : commands) {
        CommandHolder holder = command.isDone() ? null : command.holder();
        if (holder != null) {
          late.computeIfAbsent(holder, any -> new ArrayList<>()).add(command);
        }
      }
      late.forEach((holder, held) -> holder.expire(held, timeoutNanos));
    }
    for (Tracked<?, ?, ?> command : commands) {
      if (!command.isDone()) {
        command.completeExceptionally(withoutReason(command, timeoutNanos));
      }
    }
  }

  private static RedisCommandTimeoutException withoutReason(
      Tracked<?, ?, ?> command, long timeoutNanos) {
    return new RedisCommandTimeoutException(
        command.getType()
            + " was not answered within "
            + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
            + " ms; commandTimeout sets the limit");
  }
}
