// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A GET sent again because MGET had answered nil, which can mean "no such key" or "not a string".
 *
 * <p>Only an error of the second answer counts. A value does not: it was written after the MGET.
 *
 * <p>Sent ahead of a write, before the reply to the MGET is there (see {@link OutstandingReads}),
 * it is the whole answer if the MGET turns out to be refused: then no other question about the time
 * before the write is possible.
 */
public final class NilCheck
    implements RedisCommand<byte[], byte[], Void>, CompleteableCommand<Void> {

  private final EncodedCommand<?, ?, ?> get;
  private final ErrorOnly output = new ErrorOnly();
  private final long beganNanos;
  private boolean inFull;

  /**
   * Creates a check.
   *
   * @param beganNanos when the GET was written first, by System.nanoTime
   */
  NilCheck(EncodedCommand<?, ?, ?> get, long beganNanos) {
    this.get = get;
    this.beganNanos = beganNanos;
  }

  public EncodedCommand<?, ?, ?> get() {
    return get;
  }

  /** When the GET was written first, by System.nanoTime. */
  public long beganNanos() {
    return beganNanos;
  }

  /** Makes the answer of this check the answer to the GET. Called before the reply is read. */
  void answerInFull() {
    inFull = true;
  }

  @Override
  public void complete() {
    if (get.isDone()) {
      get.drop();
      return;
    }
    String error = output.getError();
    if (error != null) {
      get.getOutput().setError(error);
    }
    get.complete();
  }

  @Override
  public boolean completeExceptionally(Throwable throwable) {
    return get.completeExceptionally(throwable);
  }

  @Override
  public void cancel() {
    get.cancel();
  }

  @Override
  public void encode(ByteBuf buffer) {
    get.encode(buffer);
  }

  @Override
  public boolean isDone() {
    return get.isDone();
  }

  @Override
  public boolean isCancelled() {
    return get.isCancelled();
  }

  @Override
  @SuppressWarnings("unchecked") // Lettuce reads into it without asking for its types.
  public CommandOutput<byte[], byte[], Void> getOutput() {
    return inFull ? (CommandOutput<byte[], byte[], Void>) get.getOutput() : output;
  }

  @Override
  public void setOutput(CommandOutput<byte[], byte[], Void> output) {
    throw new UnsupportedOperationException("A nil check has its own output");
  }

  @Override
  public CommandArgs<byte[], byte[]> getArgs() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(get.key());
  }

  @Override
  public ProtocolKeyword getType() {
    return CommandType.GET;
  }

  @Override
  public void onComplete(Consumer<? super Void> action) {
    onComplete((nothing, failure) -> action.accept(null));
  }

  @Override
  @SuppressWarnings("NullAway") // There is no value to hand on.
  public void onComplete(BiConsumer<? super Void, Throwable> action) {
    get.onComplete((value, failure) -> action.accept(null, failure));
  }

  @Override
  public String toString() {
    return "GET after a nil";
  }
}
