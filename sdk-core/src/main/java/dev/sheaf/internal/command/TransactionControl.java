// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.MultiOutput;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TransactionalCommand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command such as WATCH, MULTI or EXEC that knows its transaction: which one it is, and how many
 * commands were called in it. A reactive one is not read piece by piece: its reply is one value.
 */
public final class TransactionControl<K, V, T> extends EncodedCommand<K, V, T> {

  /** The number of no transaction. */
  public static final int NONE = 0;

  private int number = NONE;
  private int members;
  private @Nullable Throwable failure;

  /** Set before it is done, which is read through the command itself. */
  private boolean succeeded;

  /** The commands that it answers; they fail with it. */
  private List<EncodedCommand<?, ?, ?>> answered = List.of();

  TransactionControl(RedisCommand<K, V, T> command, @Nullable CommandCompression compression) {
    super(command, false, compression);
  }

  /**
   * Sets its transaction. Called before it is queued.
   *
   * @param number the number of the transaction on its connection; {@link #NONE} if there is none
   * @param members how many commands were called in it so far
   * @param failure why one of them was refused; null if none was
   */
  public void belongsTo(int number, int members, @Nullable Throwable failure) {
    this.number = number;
    this.members = members;
    this.failure = failure;
  }

  /** The number of its transaction, or {@link #NONE}. */
  public int number() {
    return number;
  }

  /** How many commands had been called in the transaction. */
  public int members() {
    return members;
  }

  /** Why a command of the transaction was refused; null if none was. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Makes the results in its reply those of the given commands, which also fail with it. Called for
   * EXEC before it is sent. Lettuce's own output would be empty if an earlier MULTI has failed
   * since these commands were called.
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // The output uses its codec for errors only.
  public void answers(List<EncodedCommand<?, ?, ?>> members) {
    answered = members;
    MultiOutput results = new MultiOutput(StringCodec.UTF8);
    members.forEach(
        member -> results.add(CommandWrapper.unwrap(member, TransactionalCommand.class)));
    setOutput((CommandOutput) results);
  }

  /** Whether it ended otherwise than by a good reply: it may have been cancelled, or late. */
  public boolean hasFailed() {
    return isDone() && !succeeded;
  }

  @Override
  public void complete() {
    if (!isDone() && getOutput() != null && !getOutput().hasError()) {
      succeeded = true;
    }
    super.complete();
  }

  @Override
  public boolean completeExceptionally(Throwable throwable) {
    boolean ended = super.completeExceptionally(throwable);
    if (ended) {
      answered.forEach(member -> member.completeExceptionally(throwable));
    }
    return ended;
  }
}
