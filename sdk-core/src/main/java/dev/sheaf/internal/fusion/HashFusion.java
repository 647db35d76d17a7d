// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether HGETs of one connection are sent as HMGET: once the server has answered an HMGET.
 *
 * <p>A user may have permission for HGET but not for HMGET. An HGET sent again after such a refusal
 * could see a later write of its caller. So the first HMGET of a connection is only a probe, sent
 * after plain HGETs.
 *
 * <p>Confined to the drain of the queue and to the event loop.
 */
final class HashFusion {

  private enum State {
    UNKNOWN,
    ASKED,
    ALLOWED,
    REFUSED
  }

  private volatile State state = State.UNKNOWN;

  boolean isAllowed() {
    return state == State.ALLOWED;
  }

  /** Creates a probe that asks whether HMGET is allowed; null if one was sent before. */
  @Nullable RedisCommand<?, ?, ?> ask(EncodedCommand<?, ?, ?> hget) {
    if (state != State.UNKNOWN) {
      return null;
    }
    state = State.ASKED;
    return new Question(
        new CommandArgs<>(ByteArrayCodec.INSTANCE).addKeys(FusedRead.arguments(hget)));
  }

  /** Called if HMGET was refused for a temporary reason. */
  void refused(String error) {
    if (error.startsWith("NOPERM") || error.startsWith("ERR")) {
      state = State.REFUSED;
    }
  }

  /** An HMGET of one field that ignores the value. */
  private final class Question extends Command<byte[], byte[], Void> {

    Question(CommandArgs<byte[], byte[]> args) {
      super(CommandType.HMGET, new ErrorOnly(), args);
    }

    @Override
    public void complete() {
      String error = getOutput().getError();
      state = error == null || error.startsWith("WRONGTYPE") ? State.ALLOWED : State.UNKNOWN;
      if (error != null) {
        refused(error);
      }
      super.complete();
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
      unanswered();
      return super.completeExceptionally(failure);
    }

    @Override
    public void cancel() {
      unanswered();
      super.cancel();
    }

    private void unanswered() {
      if (state == State.ASKED) {
        state = State.UNKNOWN;
      }
    }
  }
}
