package dev.sheaf;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several GETs that travel as one MGET, each with its own outcome.
 *
 * <p>In Java the cost of a command dominates that of a key, on the client and on the server, so one
 * command for many keys is the larger part of what batching gains.
 *
 * <p>MGET is not GET many times: it answers nil where GET answers WRONGTYPE, and it is refused
 * whole where one key is. So a nil is asked again ({@link NilCheck}), and a refused MGET falls
 * apart into its GETs, each of which then meets its own error, or redirect, by itself.
 */
final class FusedGet implements RedisCommand<byte[], byte[], Void>, CompleteableCommand<Void> {

  private static final int ARGUMENT_HEADER_BYTES = 16;
  private static final byte[] NAME = "\r\n$4\r\nMGET\r\n".getBytes(StandardCharsets.US_ASCII);

  private final List<Outgoing<?, ?, ?>> gets;
  private final @Nullable EqualKeys equalKeys;
  private final Resender resender;
  private final FanOut output = new FanOut();

  /** Completed once, by the event loop or by whoever lets the command time out. */
  private volatile boolean done;

  private volatile @Nullable BiConsumer<? super Void, Throwable> listener;
  private @Nullable Map<Outgoing<?, ?, ?>, NilCheck> earlyChecks;

  /** Where commands go that have to be sent (again) by themselves. */
  interface Resender {
    /** Takes note that the reply has come. */
    void answered(FusedGet fused);

    /** Sends the GETs of a refused MGET, each by itself. */
    void unfuse(List<Outgoing<?, ?, ?>> gets, String error);

    /**
     * Takes note how many keys had no value, and asks again.
     *
     * @param unchecked the keys without a value that nobody has asked about again yet
     */
    void checkNils(List<Outgoing<?, ?, ?>> unchecked, int nils, int keys);
  }

  FusedGet(List<Outgoing<?, ?, ?>> gets, Resender resender) {
    this.gets = gets;
    this.equalKeys = EqualKeys.in(gets);
    this.resender = resender;
  }

  int size() {
    return gets.size();
  }

  /** About the size of the request. */
  long requestBytes() {
    long bytes = ARGUMENT_HEADER_BYTES + NAME.length;
    for (int i = 0; i < gets.size(); i++) {
      bytes += gets.get(i).encodedKeyBytes();
    }
    return bytes;
  }

  List<Outgoing<?, ?, ?>> gets() {
    return gets;
  }

  /**
   * A check of one of the keys that is to be sent now, because a write to it is about to be; null
   * if there is one already.
   */
  @Nullable NilCheck checkEarly(Outgoing<?, ?, ?> get) {
    if (earlyChecks == null) {
      earlyChecks = new IdentityHashMap<>();
    }
    if (earlyChecks.containsKey(get)) {
      return null;
    }
    NilCheck check = new NilCheck(get);
    earlyChecks.put(get, check);
    return check;
  }

  @Override
  public void encode(ByteBuf buffer) {
    buffer.ensureWritable((int) requestBytes());
    buffer.writeByte('*');
    writeDecimal(buffer, distinctKeys() + 1);
    buffer.writeBytes(NAME);
    for (int i = 0; i < gets.size(); i++) {
      if (!isRepeated(i)) {
        gets.get(i).encodeKey(buffer);
      }
    }
  }

  int distinctKeys() {
    return equalKeys == null ? gets.size() : equalKeys.distinct();
  }

  private boolean isRepeated(int index) {
    return equalKeys != null && equalKeys.isRepeated(index);
  }

  private static void writeDecimal(ByteBuf buffer, int number) {
    if (number >= 10) {
      writeDecimal(buffer, number / 10);
    }
    buffer.writeByte('0' + number % 10);
  }

  @Override
  public void complete() {
    resender.answered(this);
    if (done) {
      return;
    }
    done = true;
    String error = output.getError();
    if (error != null) {
      resender.unfuse(withoutEarlyCheck(gets), error);
    } else {
      output.deliver();
    }
    notifyListener(null);
  }

  /** What was asked again ahead of a write gets its answer there; see {@link NilCheck}. */
  private List<Outgoing<?, ?, ?>> withoutEarlyCheck(List<Outgoing<?, ?, ?>> asked) {
    Map<Outgoing<?, ?, ?>, NilCheck> checks = earlyChecks;
    if (checks == null) {
      return asked;
    }
    boolean refused = output.hasError();
    List<Outgoing<?, ?, ?>> rest = new ArrayList<>(asked.size());
    for (Outgoing<?, ?, ?> get : asked) {
      NilCheck check = checks.get(get);
      if (check == null) {
        rest.add(get);
      } else if (refused) {
        check.answerInFull();
      }
    }
    return rest;
  }

  @Override
  public boolean completeExceptionally(Throwable throwable) {
    if (done) {
      return false;
    }
    done = true;
    for (Outgoing<?, ?, ?> get : gets) {
      get.completeExceptionally(throwable);
    }
    notifyListener(throwable);
    return true;
  }

  @Override
  public void cancel() {
    if (!done) {
      done = true;
      for (Outgoing<?, ?, ?> get : gets) {
        get.cancel();
      }
      notifyListener(null);
    }
  }

  private void notifyListener(@Nullable Throwable throwable) {
    BiConsumer<? super Void, Throwable> current = listener;
    if (current != null) {
      accept(current, throwable);
    }
  }

  @SuppressWarnings("NullAway") // Both arguments may be null, which BiConsumer cannot say.
  private static void accept(
      BiConsumer<? super Void, Throwable> listener, @Nullable Throwable throwable) {
    listener.accept(null, throwable);
  }

  @Override
  public boolean isDone() {
    if (done) {
      return true;
    }
    for (int i = 0; i < gets.size(); i++) {
      if (!gets.get(i).isAbandoned()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public CommandOutput<byte[], byte[], Void> getOutput() {
    return output;
  }

  @Override
  public void setOutput(CommandOutput<byte[], byte[], Void> output) {
    throw new UnsupportedOperationException("A fused GET has its own output");
  }

  /** The keys, for those who look at a command on its way: time-out sources, tracing, listeners. */
  @Override
  public CommandArgs<byte[], byte[]> getArgs() {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    for (Outgoing<?, ?, ?> get : gets) {
      args.addKey(get.key());
    }
    return args;
  }

  @Override
  public ProtocolKeyword getType() {
    return CommandType.MGET;
  }

  @Override
  public void onComplete(Consumer<? super Void> action) {
    onComplete((nothing, failure) -> action.accept(nothing));
  }

  @Override
  public void onComplete(BiConsumer<? super Void, Throwable> action) {
    BiConsumer<? super Void, Throwable> first = listener;
    listener =
        first == null
            ? action
            : (nothing, failure) -> {
              first.accept(nothing, failure);
              action.accept(nothing, failure);
            };
    if (done) {
      accept(action, null);
    }
  }

  @Override
  public String toString() {
    return "MGET of " + gets.size() + " GETs";
  }

  /** Hands each element of the reply to the output of the GET it belongs to. */
  private final class FanOut extends CommandOutput<byte[], byte[], Void> {

    /** The GET that the next element belongs to. */
    private int position;

    private int received;
    private boolean @Nullable [] nils;
    private int nilCount;

    @SuppressWarnings("NullAway") // There is no output but that of the GETs.
    FanOut() {
      super(ByteArrayCodec.INSTANCE, null);
    }

    @Override
    public void multi(int count) {
      // A reply read in part before a reconnect is read again from its beginning.
      position = 0;
      received = 0;
      nils = null;
      nilCount = 0;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
      received++;
      while (position < gets.size() && isRepeated(position)) {
        position++;
      }
      if (position == gets.size()) {
        return;
      }
      int index = position++;
      while (index >= 0) {
        if (bytes == null) {
          markNil(index);
        } else {
          // Each GET decodes a value of its own: values may be mutable.
          receive(gets.get(index), bytes.duplicate());
        }
        index = equalKeys == null ? -1 : equalKeys.next(index);
      }
    }

    private void markNil(int index) {
      if (nils == null) {
        nils = new boolean[gets.size()];
      }
      nils[index] = true;
      nilCount++;
    }

    private void receive(Outgoing<?, ?, ?> get, ByteBuffer bytes) {
      if (get.isDone()) {
        return;
      }
      try {
        get.getOutput().set(bytes);
      } catch (RuntimeException e) {
        get.completeExceptionally(e);
      }
    }

    void deliver() {
      if (received != distinctKeys()) {
        failForCount();
        return;
      }
      boolean[] missing = nils;
      List<Outgoing<?, ?, ?>> asked = new ArrayList<>(nilCount);
      for (int i = 0; i < gets.size(); i++) {
        if (missing != null && missing[i]) {
          asked.add(gets.get(i));
        } else {
          gets.get(i).complete();
        }
      }
      resender.checkNils(withoutEarlyCheck(asked), nilCount, gets.size());
    }

    private void failForCount() {
      SheafException failure =
          new SheafException(
              "The server answered an MGET of "
                  + distinctKeys()
                  + " keys with "
                  + received
                  + " values; is there a proxy that changes replies?");
      for (Outgoing<?, ?, ?> get : gets) {
        get.completeExceptionally(failure);
      }
    }
  }
}
