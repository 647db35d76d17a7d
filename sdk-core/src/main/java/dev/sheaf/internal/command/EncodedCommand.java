// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.DecoratedCommand;
import io.lettuce.core.protocol.DemandAware;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TransactionalCommand;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command with its request, encoded on the calling thread.
 *
 * <p>Lettuce encodes on the event loop. Encoding earlier has three advantages: a failing codec
 * fails only its own command, where Lettuce would close the connection; the exact size is known for
 * the limits in bytes; and the event loop, shared by all callers, has less work.
 */
public class EncodedCommand<K, V, T>
    implements RedisCommand<K, V, T>, CompleteableCommand<T>, DecoratedCommand<K, V, T> {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf");
  private static final int NO_SLOT = -1;

  private static final VarHandle COUNTING;
  private static final VarHandle NEXT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      COUNTING = lookup.findVarHandle(EncodedCommand.class, "counting", Counting.class);
      NEXT = lookup.findVarHandle(EncodedCommand.class, "next", EncodedCommand.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RedisCommand<K, V, T> command;
  private final byte[] request;
  private final CommandTraits traits;

  /** The decoder of a reply with compressed values; else null. */
  private final @Nullable ReplyDecoder<K, V, T> decoding;

  private final boolean alone;

  /** The index of the item, a framed argument; 0 if the command cannot be fused. */
  private final int itemStart;

  private final int itemHash;

  /**
   * The latest time at which it can have been called, by System.nanoTime; 0 unless it had to wait.
   */
  private long calledNanos;

  /** Counts it until it has ended; null if not counted. */
  private volatile @Nullable Counting counting;

  private int countingCell;

  /** Whether a blocked caller awaits it, so that its completion runs no callbacks. */
  private boolean awaited;

  /** Ends it if Lettuce finds it late; null if it is part of a flight that Lettuce times. */
  private volatile @Nullable Expiry expiry;

  /** How many connections were lost while its reply was the next. Event loop only. */
  private int losses;

  /** The next command in the queue; written by the queue only. */
  private volatile @Nullable EncodedCommand<?, ?, ?> next;

  /** The slot of the key of a GET; {@link #NO_SLOT} until first needed. */
  private int slot = NO_SLOT;

  private EncodedCommand(
      RedisCommand<K, V, T> command, byte[] getRequest, @Nullable CommandCompression compression) {
    this.command = command;
    this.request = getRequest;
    this.traits = CommandTraits.of(CommandType.GET);
    this.decoding = compression == null ? null : compression.reply(command, getRequest);
    this.alone = false;
    this.itemStart = RequestEncoder.GET_KEY;
    this.itemHash = RequestEncoder.hash(getRequest, itemStart, getRequest.length);
  }

  EncodedCommand(
      RedisCommand<K, V, T> command, boolean mayFuse, @Nullable CommandCompression compression) {
    this.command = command;
    byte[] encoded = RequestEncoder.encode(command);
    // Its earlier self, if it waited for a node that has left the cluster.
    EncodedCommand<?, ?, ?> before = in(command);
    if (before != null) {
      this.calledNanos = before.calledNanos;
      before.expiry = null;
    }
    this.request =
        compression == null || before != null ? encoded : compression.request(command, encoded);
    this.decoding = compression == null ? null : compression.reply(command, request);
    this.traits = CommandTraits.of(command.getType(), request);
    this.alone = travelsAlone(command, traits);
    this.itemStart =
        mayFuse && mayFuse(command, traits)
            ? RequestEncoder.lastArgument(request, traits.fusedArguments())
            : 0;
    this.itemHash = itemStart == 0 ? 0 : RequestEncoder.hash(request, itemStart, request.length);
  }

  private static boolean mayFuse(RedisCommand<?, ?, ?> command, CommandTraits traits) {
    return traits.fused() != null
        && command.getArgs() != null
        && command.getArgs().count() == traits.fusedArguments()
        && command.getOutput() != null
        && !isMember(command);
  }

  /** Wraps a plain GET that was encoded with {@link RequestEncoder#encodeGet}. */
  public static <K, V, T> EncodedCommand<K, V, T> encodedGet(
      RedisCommand<K, V, T> command, byte[] request, @Nullable CommandCompression compression) {
    return new EncodedCommand<>(command, request, compression);
  }

  /** Encodes a command without compression. */
  public static <K, V, T> EncodedCommand<K, V, T> encode(
      RedisCommand<K, V, T> command, boolean mayFuse) {
    return encode(command, mayFuse, null);
  }

  /**
   * Encodes a command.
   *
   * @param compression null for none
   * @throws RuntimeException if the codec or the compressor throws one
   */
  public static <K, V, T> EncodedCommand<K, V, T> encode(
      RedisCommand<K, V, T> command, boolean mayFuse, @Nullable CommandCompression compression) {
    if (CommandTraits.of(command.getType()).isOfTransaction()) {
      return new TransactionControl<>(command, compression);
    }
    return command instanceof DemandAware.Sink
        ? new StreamingCommand<>(command, mayFuse, compression)
        : new EncodedCommand<>(command, mayFuse, compression);
  }

  /** The encoded command that a command is or wraps; null if there is none. */
  @SuppressWarnings("unchecked")
  public static @Nullable EncodedCommand<?, ?, ?> in(RedisCommand<?, ?, ?> command) {
    if (command instanceof EncodedCommand<?, ?, ?> own) {
      return own;
    }
    return command instanceof CommandWrapper
        ? CommandWrapper.unwrap(
            (RedisCommand<Object, Object, Object>) command, EncodedCommand.class)
        : null;
  }

  /** The next command in its queue or chain. */
  public final @Nullable EncodedCommand<?, ?, ?> next() {
    return next;
  }

  /** Links it to the next command, which is safely published to threads that see the link. */
  public final void linkTo(@Nullable EncodedCommand<?, ?, ?> following) {
    NEXT.setRelease(this, following);
  }

  /** Its row in the table of commands. */
  public final CommandTraits traits() {
    return traits;
  }

  /** Whether it can be fused with other reads. */
  public final boolean isFusible() {
    return itemStart != 0;
  }

  /** The size of the request as sent. */
  public final int requestBytes() {
    return request.length;
  }

  /** The request as sent; not a copy. */
  public final byte[] request() {
    return request;
  }

  /**
   * The index of the last argument, framed, of a read that can be fused: its item. Fused reads have
   * the arguments between the name and the item in common.
   */
  public final int itemStart() {
    return itemStart;
  }

  /** A hash of the item; {@link #isItem} confirms equality. */
  public final int itemHash() {
    return itemHash;
  }

  /** Whether the item equals the given framed argument. */
  public final boolean isItem(byte[] bytes, int start, int end) {
    return Arrays.equals(request, itemStart, request.length, bytes, start, end);
  }

  /**
   * Records that it was called no later than the given System.nanoTime; only the first call counts.
   */
  public final void calledBy(long nanos) {
    if (calledNanos == 0) {
      calledNanos = nanos == 0 ? 1 : nanos;
    }
  }

  /** Counts the unfinished commands of a connection. */
  public interface Counting {

    /**
     * Called once for each command when it was answered or never will be, before its caller knows.
     */
    void ended(EncodedCommand<?, ?, ?> command, int cell);
  }

  /** Records, before it is queued, that it was counted in this cell. */
  public final void countedIn(Counting counting, int cell) {
    this.countingCell = cell;
    COUNTING.set(this, counting); // The queue shows it to other threads.
  }

  /** Uncounts it: it was answered, or never will be. */
  public final void ended() {
    Counting countedIn = counting;
    if (countedIn != null && COUNTING.compareAndSet(this, countedIn, null)) {
      countedIn.ended(this, countingCell);
    }
  }

  /**
   * Ends it without sending it, since its caller has an outcome already. Spans and listeners may
   * still wait for its end.
   */
  public final void drop() {
    cancel();
  }

  /** Records, before it is queued, that its caller blocks until it is done. */
  public final void awaitedByCaller() {
    awaited = true;
  }

  /** Whether its caller blocks until it is done. */
  public final boolean isAwaited() {
    return awaited;
  }

  /** Counts a connection that was lost while its reply was the next, and returns the count. */
  public final int lost() {
    return ++losses;
  }

  /** How often {@link #lost} was called. */
  public final int losses() {
    return losses;
  }

  /** Whether it had to wait, so that its time-out started before the write. */
  public final boolean isDelayed() {
    return calledNanos != 0;
  }

  /** Whether it was called at least that long ago; without a record, it was called now. */
  public final boolean hasWaited(long nowNanos, long nanos) {
    calledBy(nowNanos);
    return nowNanos - calledNanos >= nanos;
  }

  /** The slot of the key of a GET. Called by its caller first, then by the event loop. */
  public final int slot() {
    if (slot == NO_SLOT) {
      slot =
          SlotHash.getSlot(
              Arrays.copyOfRange(
                  request, RespRequest.contentStart(request, itemStart), request.length - 2));
    }
    return slot;
  }

  /** Whether its caller no longer waits, so that it need not be sent. */
  public final boolean isAbandoned() {
    return command.isDone() || command.isCancelled();
  }

  /**
   * Whether Lettuce must see the command itself, outside of flights: because its reply is consumed
   * in pieces, because it has no reply, because it is part of a transaction and its reply does not
   * complete it, or because Lettuce acts on its type.
   */
  public final boolean travelsAlone() {
    return alone;
  }

  private static boolean travelsAlone(RedisCommand<?, ?, ?> command, CommandTraits traits) {
    return command instanceof DemandAware.Sink
        || command.getOutput() == null
        || isMember(command)
        || traits.isAlone();
  }

  /** Whether a command was called after MULTI, so that its result comes with the reply to EXEC. */
  public static boolean isMember(RedisCommand<?, ?, ?> command) {
    return CommandWrapper.unwrap(command, TransactionalCommand.class) != null;
  }

  /** Whether this command is one of a transaction. */
  public final boolean isMember() {
    return alone && isMember(command);
  }

  @Override
  public void complete() {
    ended();
    if (decoding == null || !decoding.completesLater(command)) {
      command.complete();
    }
  }

  /** Fails a command that Lettuce has timed out, with the reason. */
  public interface Expiry {

    /**
     * Fails it.
     *
     * @return whether it was not done before
     */
    boolean expire(EncodedCommand<?, ?, ?> command);
  }

  /** Sets, before it is sent outside of flights, how it ends if it is late. */
  public final void expiresBy(Expiry ends) {
    expiry = ends;
  }

  @Override
  public boolean completeExceptionally(Throwable throwable) {
    Expiry late = throwable instanceof RedisCommandTimeoutException ? expiry : null;
    if (late != null) {
      try {
        return late.expire(this);
      } catch (RuntimeException withoutReason) {
        // For instance from a TimeoutSource of the application. The command still ends.
      }
    }
    return fail(throwable instanceof IOException lost ? ofLoss(lost) : throwable);
  }

  /** What its caller is told if Lettuce fails it with the error of a lost or failed connection. */
  private ConnectionLostException ofLoss(IOException failure) {
    String type = getType().toString();
    ConnectionLostException told =
        traits.isRepeatable()
            ? new ConnectionLostException(
                type + " was not sent: there is no connection, " + failure)
            : new OutcomeUnknownException(type);
    told.initCause(failure);
    return told;
  }

  /**
   * Fails it with exactly this exception. Exceptions of listeners are ignored, as further commands
   * may have to be failed.
   *
   * @return whether it was not done before
   */
  public final boolean fail(Throwable throwable) {
    if (!(throwable instanceof RedisCommandTimeoutException) || alone || traits.isRepeatable()) {
      ended(); // A write in a flight may still run. Its reply, or the loss of the socket, ends it.
    }
    try {
      return command.completeExceptionally(throwable);
    } catch (RuntimeException e) {
      LOG.warn("A listener of {} threw while it was failed", getType(), e);
      return false;
    }
  }

  @Override
  public void cancel() {
    ended();
    command.cancel();
  }

  @Override
  public void encode(ByteBuf buffer) {
    beginReply();
    buffer.writeBytes(request, 0, request.length);
  }

  /** Prepares to read its reply from the start. */
  public final void beginReply() {
    if (decoding != null) {
      decoding.restart();
    }
  }

  @Override
  public boolean isDone() {
    return command.isDone();
  }

  @Override
  public boolean isCancelled() {
    return command.isCancelled();
  }

  @Override
  public CommandOutput<K, V, T> getOutput() {
    return decoding == null ? command.getOutput() : decoding;
  }

  @Override
  public void setOutput(CommandOutput<K, V, T> output) {
    command.setOutput(output);
  }

  @Override
  public CommandArgs<K, V> getArgs() {
    return command.getArgs();
  }

  @Override
  public ProtocolKeyword getType() {
    return command.getType();
  }

  @Override
  public RedisCommand<K, V, T> getDelegate() {
    return command;
  }

  @Override
  @SuppressWarnings("unchecked")
  public void onComplete(Consumer<? super T> action) {
    if (command instanceof CompleteableCommand) {
      ((CompleteableCommand<T>) command).onComplete(action);
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public void onComplete(BiConsumer<? super T, Throwable> action) {
    if (command instanceof CompleteableCommand) {
      ((CompleteableCommand<T>) command).onComplete(action);
    }
  }

  @Override
  public String toString() {
    return getType() + " (" + request.length + " bytes)";
  }
}
