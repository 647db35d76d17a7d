// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;

/**
 * A GET sent again because MGET answered nil, which can mean "no such key" or "not a string".
 *
 * <p>Only an error in the second reply counts. A value does not: it was written after the MGET.
 *
 * <p>A check can also be sent ahead of a write, before the reply to the MGET has arrived (see
 * {@link OutstandingReads}). If the MGET is then refused, the check's reply answers the GET: any
 * later request would see the write.
 */
public final class NilCheck extends Command<byte[], byte[], Void> {

  private final EncodedCommand<?, ?, ?> get;
  private final long beganNanos;
  private boolean inFull;

  /**
   * Creates a check.
   *
   * @param beganNanos when the GET was first sent, by System.nanoTime
   */
  NilCheck(EncodedCommand<?, ?, ?> get, long beganNanos) {
    super(CommandType.GET, new ErrorOnly());
    this.get = get;
    this.beganNanos = beganNanos;
  }

  public EncodedCommand<?, ?, ?> read() {
    return get;
  }

  /** When the GET was first sent, by System.nanoTime. */
  public long beganNanos() {
    return beganNanos;
  }

  /** Makes this check answer the GET. Called before its reply is read. */
  void answerInFull() {
    inFull = true;
  }

  @Override
  public void complete() {
    if (get.isDone()) {
      get.drop();
      return;
    }
    String error = super.getOutput().getError();
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
    return inFull ? (CommandOutput<byte[], byte[], Void>) get.getOutput() : super.getOutput();
  }

  @Override
  public CommandArgs<byte[], byte[]> getArgs() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE).addKeys(FusedRead.arguments(get));
  }

  @Override
  public String toString() {
    return "GET after a nil";
  }
}
