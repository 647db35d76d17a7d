// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.SheafException;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.Fusible;
import dev.sheaf.internal.command.InnerCommand;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several reads of one kind that travel as one, each with its own outcome.
 *
 * <p>In Java the cost of a command dominates that of a key, on the client and on the server, so one
 * command for many keys is the larger part of what batching gains. What differs from kind to kind
 * is what a missing value means, and a refusal.
 */
public abstract class FusedRead extends InnerCommand<byte[], Void> {

  private final Fusible kind;
  private final List<EncodedCommand<?, ?, ?>> reads;
  private final @Nullable EqualItems equalItems;
  private final FanOut output = new FanOut();
  private final long bytes;
  private final int callbacks;
  private final long beganNanos = System.nanoTime();

  /**
   * Creates the fused read.
   *
   * @param reads at least one, all of the kind, that fuse with each other; the list is kept
   */
  FusedRead(Fusible kind, List<EncodedCommand<?, ?, ?>> reads) {
    this.kind = kind;
    this.reads = reads;
    this.equalItems = EqualItems.in(reads);
    long bytes = (long) kind.fusedHeaderBytes() + reads.get(0).commonBytes();
    int callbacks = 0;
    for (int i = 0; i < reads.size(); i++) {
      EncodedCommand<?, ?, ?> read = reads.get(i);
      bytes += read.itemBytes();
      callbacks += read.isAwaited() ? 0 : 1;
    }
    this.bytes = bytes;
    this.callbacks = callbacks;
  }

  public final int size() {
    return reads.size();
  }

  /** How many of the reads no blocked caller awaits. */
  public final int callbacks() {
    return callbacks;
  }

  public final List<EncodedCommand<?, ?, ?>> reads() {
    return reads;
  }

  final Fusible kind() {
    return kind;
  }

  /** When it was made, to be written at once, by System.nanoTime. */
  final long beganNanos() {
    return beganNanos;
  }

  final int distinctItems() {
    return equalItems == null ? reads.size() : equalItems.distinct();
  }

  /** Takes note that the reply has come, whether it is still awaited or not. */
  void answered() {}

  /** The read at this index has no value. Called before {@link #deliver}. */
  abstract void missing(int index);

  /** The reply is complete: ends the reads whose values were handed out. */
  abstract void deliver();

  /** The server answered with an error: decides about all reads. */
  abstract void refused(String error);

  /** Whether the read at this index is sent again, since the reply is no answer to it. */
  boolean isAskedAgain(int index) {
    return false;
  }

  /** Whether the reads are sent again after such an error. */
  abstract boolean isAskedAgain(String error);

  /** Calls back for each read that has its answer in the reply, which has been read. */
  public final void forEachAnswered(Consumer<EncodedCommand<?, ?, ?>> action) {
    String error = output.getError();
    if (error != null && isAskedAgain(error)) {
      return;
    }
    for (int i = 0; i < reads.size(); i++) {
      if (error != null || !isAskedAgain(i)) {
        action.accept(reads.get(i));
      }
    }
  }

  /** Forgets what was read of a reply that did not come to its end. */
  void restart() {}

  /** About the size of the request. */
  public final long requestBytes() {
    return bytes;
  }

  @Override
  public final void encode(ByteBuf buffer) {
    // Put together in an array: a hundred writes to a buffer of Netty's cost more than one.
    byte[] request = new byte[(int) bytes];
    int end = kind.putFusedHeader(request, distinctItems());
    end = reads.get(0).putCommon(request, end);
    for (int i = 0; i < reads.size(); i++) {
      if (!isRepeated(i)) {
        end = reads.get(i).putItem(request, end);
      }
    }
    buffer.writeBytes(request, 0, end);
  }

  private boolean isRepeated(int index) {
    return equalItems != null && equalItems.isRepeated(index);
  }

  @Override
  public final void complete() {
    answered();
    if (isOver()) {
      return;
    }
    end();
    String error = output.getError();
    if (error != null) {
      refused(error);
    } else if (output.received == distinctItems()) {
      deliver();
    } else {
      failForCount(output.received);
    }
    for (EncodedCommand<?, ?, ?> read : reads) {
      if (read.isAbandoned()) {
        read.ended();
      }
    }
    notifyListeners(null);
  }

  private void failForCount(int received) {
    failAll(
        new SheafException(
            "The server answered an "
                + kind.fused()
                + " of "
                + distinctItems()
                + " with "
                + received
                + " values; is there a proxy that changes replies?"));
  }

  private void failAll(Throwable failure) {
    for (EncodedCommand<?, ?, ?> read : reads) {
      read.completeExceptionally(failure);
    }
  }

  @Override
  public final boolean completeExceptionally(Throwable throwable) {
    if (isOver()) {
      return false;
    }
    end();
    failAll(throwable);
    notifyListeners(throwable);
    return true;
  }

  @Override
  public final void cancel() {
    if (!isOver()) {
      end();
      for (EncodedCommand<?, ?, ?> read : reads) {
        read.cancel();
      }
      notifyListeners(null);
    }
  }

  @Override
  public final boolean isDone() {
    if (isOver()) {
      return true;
    }
    for (int i = 0; i < reads.size(); i++) {
      if (!reads.get(i).isAbandoned()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final CommandOutput<byte[], byte[], Void> getOutput() {
    return output;
  }

  /** The keys, for those who look at a command on its way: time-out sources, tracing, listeners. */
  @Override
  public final CommandArgs<byte[], byte[]> getArgs() {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    if (reads.get(0).commonBytes() > 0) {
      args.addKey(reads.get(0).key());
    }
    for (EncodedCommand<?, ?, ?> read : reads) {
      args.addKey(read.item());
    }
    return args;
  }

  @Override
  public final ProtocolKeyword getType() {
    return kind.fused();
  }

  @Override
  public final String toString() {
    return kind.fused() + " of " + reads.size() + " " + kind + "s";
  }

  /** Hands a value, or null for none, to the output of one read, as its own reply would. */
  @SuppressWarnings("NullAway") // That is how Lettuce says nil.
  static void receive(EncodedCommand<?, ?, ?> read, @Nullable ByteBuffer bytes) {
    if (read.isDone()) {
      return;
    }
    try {
      read.getOutput().set(bytes);
    } catch (RuntimeException e) {
      read.completeExceptionally(e);
    }
  }

  /** Hands each element of the reply to the output of the read it belongs to. */
  private final class FanOut extends CommandOutput<byte[], byte[], Void> {

    /** The read that the next element belongs to. */
    private int position;

    private int received;

    @SuppressWarnings("NullAway") // There is no output but that of the reads.
    FanOut() {
      super(ByteArrayCodec.INSTANCE, null);
    }

    @Override
    public void multi(int count) {
      // A reply read in part before a reconnect is read again from its beginning.
      position = 0;
      received = 0;
      restart();
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
      received++;
      while (position < reads.size() && isRepeated(position)) {
        position++;
      }
      if (position == reads.size()) {
        return;
      }
      int index = position++;
      while (index >= 0) {
        if (bytes == null) {
          missing(index);
        } else {
          // Each read decodes a value of its own: values may be mutable.
          receive(reads.get(index), equalItems == null ? bytes : bytes.duplicate());
        }
        index = equalItems == null ? -1 : equalItems.next(index);
      }
    }
  }
}
