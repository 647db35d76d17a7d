// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.SheafException;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.command.RespRequest;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Several reads of one kind that are sent as one command, each with its own outcome.
 *
 * <p>The cost per command exceeds the cost per key, on the client and on the server. So one command
 * for many keys is the larger part of the gain of batching. Subclasses decide what a missing value
 * and a refusal mean.
 */
public abstract class FusedRead implements RedisCommand<byte[], byte[], Void> {

  /** The length of an asterisk and the digits of an int. */
  private static final int MAX_COUNT_BYTES = 11;

  private static final byte[] MGET = framed(CommandType.MGET);
  private static final byte[] HMGET = framed(CommandType.HMGET);

  private final CommandTraits kind;
  private final CommandType type;
  private final List<EncodedCommand<?, ?, ?>> reads;
  private final @Nullable EqualItems equalItems;
  private final FanOut output = new FanOut();
  private final long bytes;
  private final int callbacks;
  private final long beganNanos = System.nanoTime();

  /** Whether it was answered, failed or cancelled. */
  private volatile boolean over;

  /**
   * Creates the fused read.
   *
   * @param reads at least one; all can be fused with each other; the list is not copied
   */
  FusedRead(List<EncodedCommand<?, ?, ?>> reads) {
    this.kind = reads.get(0).traits();
    this.type = Objects.requireNonNull(kind.fused());
    this.reads = reads;
    this.equalItems = EqualItems.in(reads);
    long bytes = (long) MAX_COUNT_BYTES + name().length + commonBytes(reads.get(0));
    int callbacks = 0;
    for (int i = 0; i < reads.size(); i++) {
      EncodedCommand<?, ?, ?> read = reads.get(i);
      bytes += read.requestBytes() - read.itemStart();
      callbacks += read.isAwaited() ? 0 : 1;
    }
    this.bytes = bytes;
    this.callbacks = callbacks;
  }

  private static byte[] framed(CommandType type) {
    String name = type.toString();
    return ("\r\n$" + name.length() + "\r\n" + name + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** The command's name as it follows the count of arguments. */
  private byte[] name() {
    return type == CommandType.MGET ? MGET : HMGET;
  }

  /** Whether two reads can be fused, apart from their slots. */
  static boolean fuse(EncodedCommand<?, ?, ?> one, EncodedCommand<?, ?, ?> other) {
    return one.traits() == other.traits()
        && Arrays.equals(one.request(), 0, one.itemStart(), other.request(), 0, other.itemStart());
  }

  /** Whether two reads that fuse have the same item. */
  static boolean haveSameItem(EncodedCommand<?, ?, ?> one, EncodedCommand<?, ?, ?> other) {
    return one.itemHash() == other.itemHash()
        && one.isItem(other.request(), other.itemStart(), other.requestBytes());
  }

  /** The arguments of a read; the last one is its item. */
  static List<byte[]> arguments(EncodedCommand<?, ?, ?> read) {
    RespRequest request = new RespRequest(read.request());
    return IntStream.range(1, request.count()).mapToObj(request::argument).toList();
  }

  /** The index in a request of the arguments that fused reads have in common, after the name. */
  private static int commonStart(EncodedCommand<?, ?, ?> read) {
    return RespRequest.frameEnd(read.request(), RespRequest.firstFrame(read.request()));
  }

  private static int commonBytes(EncodedCommand<?, ?, ?> read) {
    return read.itemStart() - commonStart(read);
  }

  private static int put(EncodedCommand<?, ?, ?> read, int start, int end, byte[] request, int at) {
    System.arraycopy(read.request(), start, request, at, end - start);
    return at + end - start;
  }

  public final int size() {
    return reads.size();
  }

  /** How many of the reads complete futures or callbacks, and not a blocked caller. */
  public final int callbacks() {
    return callbacks;
  }

  public final List<EncodedCommand<?, ?, ?>> reads() {
    return reads;
  }

  final CommandTraits kind() {
    return kind;
  }

  /** When it was created, just before it was sent, by System.nanoTime. */
  final long beganNanos() {
    return beganNanos;
  }

  final int distinctItems() {
    return equalItems == null ? reads.size() : equalItems.distinct();
  }

  /** Called when the reply has arrived, even if it is no longer awaited. */
  void answered() {}

  /** Called if the read at this index has no value, before {@link #deliver}. */
  abstract void missing(int index);

  /** Called when the reply is complete: completes the reads that have values. */
  abstract void deliver();

  /** Called if the reply is an error: decides about all reads. */
  abstract void refused(String error);

  /** Whether the read at this index is sent again, because the reply does not answer it. */
  boolean isAskedAgain(int index) {
    return false;
  }

  /** Whether the reads are sent again after this error. */
  abstract boolean isAskedAgain(String error);

  /** Runs an action for each read that the reply answers. */
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

  /** Discards a reply that was read only in part. */
  void restart() {}

  /** The approximate size of the request. */
  public final long requestBytes() {
    return bytes;
  }

  @Override
  public final void encode(ByteBuf buffer) {
    // Assembled in an array: a hundred writes to a Netty buffer cost more than one.
    byte[] request = new byte[(int) bytes];
    request[0] = '*';
    EncodedCommand<?, ?, ?> first = reads.get(0);
    int common = commonBytes(first) > 0 ? 1 : 0;
    int end = RequestEncoder.putDecimal(request, 1, 1 + common + distinctItems());
    System.arraycopy(name(), 0, request, end, name().length);
    end += name().length;
    end = put(first, commonStart(first), first.itemStart(), request, end);
    for (int i = 0; i < reads.size(); i++) {
      EncodedCommand<?, ?, ?> read = reads.get(i);
      read.beginReply();
      if (!isRepeated(i)) {
        end = put(read, read.itemStart(), read.requestBytes(), request, end);
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
    if (over) {
      return;
    }
    over = true;
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
  }

  private void failForCount(int received) {
    failAll(
        new SheafException(
            "The server answered an "
                + type
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
    if (over) {
      return false;
    }
    over = true;
    failAll(throwable);
    return true;
  }

  @Override
  public final void cancel() {
    if (!over) {
      over = true;
      for (EncodedCommand<?, ?, ?> read : reads) {
        read.cancel();
      }
    }
  }

  @Override
  public final boolean isDone() {
    if (over) {
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

  /** The keys, for code that inspects commands: time-out sources, tracing, listeners. */
  @Override
  public final CommandArgs<byte[], byte[]> getArgs() {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    List<byte[]> first = arguments(reads.get(0));
    args.addKeys(first.subList(0, first.size() - 1));
    for (EncodedCommand<?, ?, ?> read : reads) {
      List<byte[]> own = arguments(read);
      args.addKey(own.get(own.size() - 1));
    }
    return args;
  }

  @Override
  public final boolean isCancelled() {
    return false;
  }

  @Override
  public final void setOutput(CommandOutput<byte[], byte[], Void> output) {
    throw new UnsupportedOperationException("The output of " + type + " is its own");
  }

  @Override
  public final ProtocolKeyword getType() {
    return type;
  }

  @Override
  public final String toString() {
    return type + " of " + reads.size() + " " + kind + "s";
  }

  /** Passes a value, or null for none, to the output of one read, like a reply of its own. */
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

  /** Distributes the elements of the reply to the outputs of the reads. */
  private final class FanOut extends CommandOutput<byte[], byte[], Void> {

    /** The index of the read that the next element belongs to. */
    private int position;

    private int received;

    @SuppressWarnings("NullAway") // There is no output but that of the reads.
    FanOut() {
      super(ByteArrayCodec.INSTANCE, null);
    }

    @Override
    public void multi(int count) {
      // After a reconnect, a partly read reply is read again from its start.
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
          // Each read decodes its own value, as values may be mutable.
          receive(reads.get(index), equalItems == null ? bytes : bytes.duplicate());
        }
        index = equalItems == null ? -1 : equalItems.next(index);
      }
    }
  }
}
