// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.Fusible;
import dev.sheaf.internal.command.InnerCommand;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Whether HGETs of one connection may travel as HMGET: once the server has answered one.
 *
 * <p>A user may be allowed HGET and not HMGET. An HGET that is asked again after such a refusal
 * could see what its caller wrote in the meantime, so the first HMGET of a connection answers
 * nobody: it is sent behind HGETs that travel as such.
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

  /** The question whether HMGET is allowed; null if it was asked before. */
  @Nullable Question ask(EncodedCommand<?, ?, ?> hget) {
    if (state != State.UNKNOWN) {
      return null;
    }
    state = State.ASKED;
    return new Question(hget);
  }

  /** Takes note that HMGET was refused, but for reasons that pass. */
  void refused(String error) {
    if (error.startsWith("NOPERM") || error.startsWith("ERR")) {
      state = State.REFUSED;
    }
  }

  /** An HMGET of one field whose value nobody wants. */
  final class Question extends InnerCommand<byte[], Void> {

    private final EncodedCommand<?, ?, ?> hget;
    private final ErrorOnly answer = new ErrorOnly();

    private Question(EncodedCommand<?, ?, ?> hget) {
      this.hget = hget;
    }

    @Override
    public void complete() {
      String error = answer.getError();
      boolean allowed = error == null || error.startsWith("WRONGTYPE");
      state = allowed ? State.ALLOWED : State.UNKNOWN;
      if (error != null) {
        refused(error);
      }
      over(null);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
      if (isOver()) {
        return false;
      }
      over(failure);
      return true;
    }

    @Override
    public void cancel() {
      over(null);
    }

    private void over(@Nullable Throwable failure) {
      if (state == State.ASKED) {
        state = State.UNKNOWN;
      }
      end();
      notifyListeners(failure);
    }

    @Override
    public void encode(ByteBuf buffer) {
      byte[] request =
          new byte[Fusible.HGET.fusedHeaderBytes() + hget.commonBytes() + hget.itemBytes()];
      int end = Fusible.HGET.putFusedHeader(request, 1);
      end = hget.putCommon(request, end);
      end = hget.putItem(request, end);
      buffer.writeBytes(request, 0, end);
    }

    @Override
    public boolean isDone() {
      return isOver();
    }

    @Override
    public CommandOutput<byte[], byte[], Void> getOutput() {
      return answer;
    }

    @Override
    public CommandArgs<byte[], byte[]> getArgs() {
      return new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(hget.key()).addKey(hget.item());
    }

    @Override
    public ProtocolKeyword getType() {
      return CommandType.HMGET;
    }

    @Override
    public String toString() {
      return "HMGET to see whether it is allowed";
    }
  }
}
