// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.SheafException;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.TransactionControl;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of one connection in the order of the calls. It counts the commands that EXEC
 * must answer, also those that were never sent.
 *
 * <p>Lettuce marks the commands of a transaction, but stops at the moment when MULTI fails. What
 * its caller sends next, not knowing that yet, would run outside of the transaction. So it is
 * rejected here.
 *
 * <p>Thread-safe.
 */
final class TransactionCalls {

  /**
   * How long after MULTI its caller may not know that it has failed: 1 second. Callers that do not
   * wait for its reply call the rest within microseconds, unless their processor is busy.
   */
  static final long UNAWARE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanoTime;

  private int last = TransactionControl.NONE;
  private volatile int current = TransactionControl.NONE;
  private int members;
  private @Nullable Throwable failure;

  /** The MULTI of the current transaction. */
  private @Nullable RedisCommand<?, ?, ?> multi;

  private long multiNanos;

  TransactionCalls(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Called for each command, once one of a transaction has been called on this connection.
   *
   * @throws SheafException if it was called between MULTI and EXEC and is not part of the
   *     transaction
   */
  void called(EncodedCommand<?, ?, ?> command) {
    if (current == TransactionControl.NONE && !(command instanceof TransactionControl)) {
      return;
    }
    synchronized (this) {
      if (command.isMember()) {
        members++;
      } else if (command instanceof TransactionControl<?, ?, ?> control) {
        begin(command);
        control.belongsTo(current, members, failure);
        end(command);
      } else {
        requireNoTransaction(command);
      }
    }
  }

  /** Called for each command that fails before it can be queued. */
  synchronized void refused(RedisCommand<?, ?, ?> command, Throwable why) {
    if (EncodedCommand.isMember(command)) {
      members++;
      failure = failure == null ? why : failure;
    } else {
      begin(command);
      end(command);
    }
  }

  private static boolean is(RedisCommand<?, ?, ?> command, CommandType type) {
    return CommandTraits.of(command.getType()).is(type);
  }

  private void begin(RedisCommand<?, ?, ?> command) {
    if (is(command, CommandType.MULTI) && (current == TransactionControl.NONE || hasFailed())) {
      current = ++last;
      members = 0;
      failure = null;
      multi = command;
      multiNanos = nanoTime.getAsLong();
    }
  }

  private void end(RedisCommand<?, ?, ?> command) {
    if (is(command, CommandType.EXEC) || is(command, CommandType.DISCARD)) {
      forget();
    }
  }

  private void forget() {
    current = TransactionControl.NONE;
    multi = null;
  }

  private void requireNoTransaction(RedisCommand<?, ?, ?> command) {
    if (hasFailed() && isFailureKnown()) {
      forget();
      return;
    }
    members++;
    throw new SheafException(
        command.getType()
            + " was not sent: it was called between MULTI and EXEC, and is not part of the"
            + " transaction. MULTI has failed, or another caller uses the connection; MULTI needs a"
            + " client of its own. EXEC or DISCARD ends the transaction");
  }

  private boolean hasFailed() {
    if (multi == null) {
      return false;
    }
    AsyncCommand<?, ?, ?> future = CommandWrapper.unwrap(multi, AsyncCommand.class);
    if (future != null) {
      // Also if it was cancelled in the instant of its reply.
      return future.isCompletedExceptionally();
    }
    return multi instanceof TransactionControl<?, ?, ?> sent ? sent.hasFailed() : multi.isDone();
  }

  private boolean isFailureKnown() {
    CommandHolder.Tracked<?, ?, ?> tracked =
        CommandWrapper.unwrap(multi, CommandHolder.Tracked.class);
    return (tracked != null && tracked.isAwaited())
        || nanoTime.getAsLong() - multiNanos >= UNAWARE_NANOS;
  }
}
