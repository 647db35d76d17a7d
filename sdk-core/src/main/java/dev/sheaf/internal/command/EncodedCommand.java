// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

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
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command on its way to one node: the caller's command with its request bytes, encoded on the
 * calling thread.
 *
 * <p>Encoding here, and not where Lettuce does it, on the event loop, keeps a failing codec the
 * problem of its own command (Lettuce closes the connection when an encoder throws), tells the
 * exact size for the byte limits, and takes work off the one thread that all callers share.
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

  /** Reads the reply if values in it may be compressed; else null. */
  private final @Nullable ReplyDecoder<K, V, T> decoding;

  private final boolean alone;

  /** Where its item begins, as one framed argument; 0 if it may not be fused. */
  private final int itemStart;

  private final int itemHash;

  /**
   * When it was called at the latest, by System.nanoTime; 0 as long as nobody asked because it had
   * to wait.
   */
  private long calledNanos;

  /** Where it is counted until it has ended; null if nowhere. */
  private volatile @Nullable Counting counting;

  private int countingCell;

  /** Whether a blocked caller awaits it, so that its completion runs no code of others. */
  private boolean awaited;

  /** What ends it where Lettuce finds it late; null if Lettuce times what it is part of. */
  private volatile @Nullable Expiry expiry;

  /** How many connections were lost while its reply was the next. Of the event loop. */
  private int losses;

  /** The link of the queue this command stands in; written by the queue alone. */
  private volatile @Nullable EncodedCommand<?, ?, ?> next;

  /** The slot of the key of a GET, or {@link #NO_SLOT} while nobody asked. */
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
    // What it was when it waited for a node that has left the cluster since.
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
        && CommandWrapper.unwrap(command, TransactionalCommand.class) == null;
  }

  /** A plain GET that was encoded by {@link RequestEncoder#encodeGet}. */
  public static <K, V, T> EncodedCommand<K, V, T> encodedGet(
      RedisCommand<K, V, T> command, byte[] request, @Nullable CommandCompression compression) {
    return new EncodedCommand<>(command, request, compression);
  }

  /** Encodes a command whose values are left as they are. */
  public static <K, V, T> EncodedCommand<K, V, T> encode(
      RedisCommand<K, V, T> command, boolean mayFuse) {
    return encode(command, mayFuse, null);
  }

  /**
   * Encodes a command.
   *
   * @param compression what compresses values; null if nothing does
   * @throws RuntimeException whatever the codec or the compressor throws
   */
  public static <K, V, T> EncodedCommand<K, V, T> encode(
      RedisCommand<K, V, T> command, boolean mayFuse, @Nullable CommandCompression compression) {
    return command instanceof DemandAware.Sink
        ? new StreamingCommand<>(command, mayFuse, compression)
        : new EncodedCommand<>(command, mayFuse, compression);
  }

  /** The one that a command is, or wraps; null if there is none. */
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

  /** The next one in its queue, or its chain. */
  public final @Nullable EncodedCommand<?, ?, ?> next() {
    return next;
  }

  /** Links it to the next one, which a thread that sees the link sees whole. */
  public final void linkTo(@Nullable EncodedCommand<?, ?, ?> following) {
    NEXT.setRelease(this, following);
  }

  /** What the table of commands says of it. */
  public final CommandTraits traits() {
    return traits;
  }

  /** Whether this may travel as part of a fused read. */
  public final boolean isFusible() {
    return itemStart != 0;
  }

  /** The size of the request as it travels. */
  public final int requestBytes() {
    return request.length;
  }

  /** The request as it travels, not a copy. */
  public final byte[] request() {
    return request;
  }

  /**
   * Where the last argument begins, framed, of a read that may be fused: its item. What stands
   * between the name and the item, reads that are fused have in common.
   */
  public final int itemStart() {
    return itemStart;
  }

  /** A hash of the item as it travels, for {@link #isItem} to confirm. */
  public final int itemHash() {
    return itemHash;
  }

  /** Whether the item is the given framed argument. */
  public final boolean isItem(byte[] bytes, int start, int end) {
    return Arrays.equals(request, itemStart, request.length, bytes, start, end);
  }

  /**
   * Takes note that it was called no later than that, by System.nanoTime; the first note counts.
   */
  public final void calledBy(long nanos) {
    if (calledNanos == 0) {
      calledNanos = nanos == 0 ? 1 : nanos;
    }
  }

  /** Counts commands of a connection until they have ended. */
  public interface Counting {

    /** A command was answered, or will never be. Once for each, before its caller knows. */
    void ended(EncodedCommand<?, ?, ?> command, int cell);
  }

  /** Takes note, before it is queued, that it was counted in this cell. */
  public final void countedIn(Counting counting, int cell) {
    this.countingCell = cell;
    COUNTING.set(this, counting); // The queue shows it to other threads.
  }

  /** It is answered, or will never be. */
  public final void ended() {
    Counting countedIn = counting;
    if (countedIn != null && COUNTING.compareAndSet(this, countedIn, null)) {
      countedIn.ended(this, countingCell);
    }
  }

  /**
   * Ends it without sending it, since it is abandoned. Its caller has an outcome already; spans and
   * listeners may wait for theirs.
   */
  public final void drop() {
    cancel();
  }

  /** Takes note, before it is queued, that its caller blocks until it is done. */
  public final void awaitedByCaller() {
    awaited = true;
  }

  /** Whether its caller blocks until it is done. */
  public final boolean isAwaited() {
    return awaited;
  }

  /** Counts a connection that was lost while its reply was the next; how many there were. */
  public final int lost() {
    return ++losses;
  }

  /** How often {@link #lost} was called. */
  public final int losses() {
    return losses;
  }

  /** Whether it had to wait, so that its time began before it is written. */
  public final boolean isDelayed() {
    return calledNanos != 0;
  }

  /** Whether it was called at least that long ago; a command without a note was called now. */
  public final boolean hasWaited(long nowNanos, long nanos) {
    calledBy(nowNanos);
    return nowNanos - calledNanos >= nanos;
  }

  /** The slot of the key of a GET. Asked by its caller first, and by the event loop after. */
  public final int slot() {
    if (slot == NO_SLOT) {
      slot =
          SlotHash.getSlot(
              Arrays.copyOfRange(
                  request, RespRequest.contentStart(request, itemStart), request.length - 2));
    }
    return slot;
  }

  /** Whether nobody waits for this command any more, so that it need not be sent. */
  public final boolean isAbandoned() {
    return command.isDone() || command.isCancelled();
  }

  /**
   * Whether this command has to be visible to Lettuce as it is: because its reply is consumed piece
   * by piece, because it has none, because it is part of a transaction and so not done with its
   * reply, or because Lettuce itself acts on its type.
   */
  public final boolean travelsAlone() {
    return alone;
  }

  private static boolean travelsAlone(RedisCommand<?, ?, ?> command, CommandTraits traits) {
    return command instanceof DemandAware.Sink
        || command.getOutput() == null
        || CommandWrapper.unwrap(command, TransactionalCommand.class) != null
        || traits.isAlone();
  }

  @Override
  public void complete() {
    ended();
    if (decoding == null || !decoding.completesLater(command)) {
      command.complete();
    }
  }

  /** Ends a command that Lettuce found to be late, and says why it is. */
  public interface Expiry {

    /**
     * Ends it.
     *
     * @return whether it had no end before
     */
    boolean expire(EncodedCommand<?, ?, ?> command);
  }

  /** Takes note, before it is written by itself, of what ends it if it is late. */
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
        // Such as from a TimeoutSource of the application: the command ends all the same.
      }
    }
    return fail(throwable);
  }

  /**
   * Fails it, with just that. What a listener throws is its own affair: others wait to be failed
   * behind this command.
   *
   * @return whether it had no end before
   */
  public final boolean fail(Throwable throwable) {
    ended();
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

  /** Its reply is read anew from now on. */
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
