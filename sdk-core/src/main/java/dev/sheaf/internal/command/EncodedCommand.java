// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.SheafException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
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
import java.util.List;
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

  /** Where the options of SET begin: behind its name, the key and the value. */
  private static final int SET_OPTIONS = 3;

  /** What makes a SET depend on what is there, or tell it. */
  private static final List<String> CONDITIONS =
      List.of("NX", "XX", "GET", "IFEQ", "IFNE", "IFDEQ", "IFDNE");

  private static final VarHandle ORDER;
  private static final VarHandle NEXT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ORDER = lookup.findVarHandle(EncodedCommand.class, "order", CallerOrder.class);
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

  /** How it may be fused with others of its kind; null if it travels as itself. */
  private final @Nullable Fusible fusible;

  private final boolean alone;

  /** Where the last argument of what may be fused begins, and its hash. */
  private final int itemStart;

  private final int itemHash;

  /**
   * When it was called at the latest, by System.nanoTime; 0 as long as nobody asked because it had
   * to wait.
   */
  private long calledNanos;

  /** Where it is counted until it has ended; null if nowhere. */
  private volatile @Nullable CallerOrder order;

  private int orderCell;

  /** Whether a blocked caller awaits it, so that its completion runs no code of others. */
  private boolean awaited;

  /** What ends it where Lettuce finds it late; null if Lettuce times what it is part of. */
  private volatile @Nullable Expiry expiry;

  /** How many connections were lost while its reply was the next. Of the event loop. */
  private int losses;

  /** The link of the queue this command stands in; written by the queue alone. */
  volatile @Nullable EncodedCommand<?, ?, ?> next;

  /** The slot of the key of a GET, or {@link #NO_SLOT} while nobody asked. */
  private int slot = NO_SLOT;

  private EncodedCommand(
      RedisCommand<K, V, T> command, byte[] getRequest, @Nullable CommandCompression compression) {
    this.command = command;
    this.request = getRequest;
    this.traits = CommandTraits.of(CommandType.GET);
    this.decoding = compression == null ? null : compression.reply(command, getRequest);
    this.fusible = Fusible.GET;
    this.alone = false;
    this.itemStart = Fusible.GET.headerBytes();
    this.itemHash = hash(getRequest, itemStart, getRequest.length);
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
    Fusible kind = mayFuse ? traits.fusible() : null;
    this.fusible = kind != null && kind.fits(command, request) ? kind : null;
    this.alone = travelsAlone(command, traits);
    if (fusible == null) {
      this.itemStart = 0;
      this.itemHash = 0;
      if (traits.name().equals("CLIENT|REPLY")) {
        requireReplies(new RespRequest(request));
      }
    } else {
      int keyStart = fusible.headerBytes();
      this.itemStart = fusible == Fusible.GET ? keyStart : RespRequest.frameEnd(request, keyStart);
      this.itemHash = hash(request, itemStart, request.length);
    }
  }

  /** A plain GET that was encoded by {@link RequestEncoder#encodeGet}. */
  public static <K, V, T> EncodedCommand<K, V, T> encodedGet(
      RedisCommand<K, V, T> command, byte[] request, @Nullable CommandCompression compression) {
    return new EncodedCommand<>(command, request, compression);
  }

  /**
   * Encodes a command.
   *
   * @throws RuntimeException whatever the codec throws
   */
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
        ? new Streaming<>(command, mayFuse, compression)
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

  /** Links it to the next one, which a thread that sees the link sees whole. */
  final void linkTo(@Nullable EncodedCommand<?, ?, ?> following) {
    NEXT.setRelease(this, following);
  }

  /** A command that is never sent: what an empty queue holds in place of its last element. */
  static EncodedCommand<?, ?, ?> placeholder() {
    return new EncodedCommand<>(
        new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)), false, null);
  }

  /**
   * Refuses CLIENT REPLY OFF and SKIP: replies carry no names, so that after one that does not
   * come, every later one would be taken for that of an earlier command.
   */
  private static void requireReplies(RespRequest request) {
    if (request.is(2, "OFF") || request.is(2, "SKIP")) {
      throw new SheafException(
          "CLIENT REPLY "
              + (request.is(2, "OFF") ? "OFF" : "SKIP")
              + " cannot be sent on a connection that many callers share, as the replies to the"
              + " others would be mixed up; use a connection of your own");
    }
  }

  /** What the table of commands says of it. */
  public final CommandTraits traits() {
    return traits;
  }

  /** How this may travel as part of a fused read; null if it may not. */
  public final @Nullable Fusible fusible() {
    return fusible;
  }

  /** Whether this read and another may be parts of the same fused one, apart from their slots. */
  public final boolean fusesWith(EncodedCommand<?, ?, ?> other) {
    return fusible == other.fusible
        && (fusible == Fusible.GET
            || Arrays.equals(request, 0, itemStart, other.request, 0, other.itemStart));
  }

  /** The size of the request as it travels. */
  public final int requestBytes() {
    return request.length;
  }

  /**
   * Puts into a request what all parts of a fused read have in common: the key of an HGET, framed.
   *
   * @return where it ends
   */
  public final int putCommon(byte[] to, int at) {
    int start = headerBytes();
    System.arraycopy(request, start, to, at, itemStart - start);
    return at + itemStart - start;
  }

  /** The size of what {@link #putCommon} puts there. */
  public final int commonBytes() {
    return itemStart - headerBytes();
  }

  /**
   * Puts the item of a read into a request, as one framed argument. Its reply is read anew from
   * then on.
   *
   * @return where it ends
   */
  public final int putItem(byte[] to, int at) {
    if (decoding != null) {
      decoding.restart();
    }
    System.arraycopy(request, itemStart, to, at, request.length - itemStart);
    return at + request.length - itemStart;
  }

  /** The size of what {@link #putItem} puts there. */
  public final int itemBytes() {
    return request.length - itemStart;
  }

  /** A hash of the item as it travels, for {@link #hasItemOf} to confirm. */
  public final int itemHash() {
    return itemHash;
  }

  /** Whether two reads that may be fused have the same item. */
  public final boolean hasItemOf(EncodedCommand<?, ?, ?> other) {
    return itemHash == other.itemHash && other.isItem(request, itemStart, request.length);
  }

  /** Whether the item is the given framed argument. */
  public final boolean isItem(byte[] bytes, int start, int end) {
    return Arrays.equals(request, itemStart, request.length, bytes, start, end);
  }

  private int headerBytes() {
    return fusible == null ? 0 : fusible.headerBytes();
  }

  /** Calls back for each argument of the request with the range it has there, framed. */
  public final void forEachArgument(ArgumentVisitor visitor) {
    int frame = RespRequest.frameEnd(request, RespRequest.firstFrame(request));
    while (frame < request.length) {
      int end = RespRequest.frameEnd(request, frame);
      visitor.visit(request, frame, end);
      frame = end;
    }
  }

  /**
   * Calls back, with the range it has in the request, framed, for each key that this may write; for
   * every argument if the request may not name them all.
   */
  public final void forEachWrittenKey(ArgumentVisitor visitor) {
    if (traits.writesUnnamed()) {
      forEachArgument(visitor);
    } else if (!traits.writesNothing()) {
      RespRequest parsed = new RespRequest(request);
      traits.forEachKey(
          parsed,
          (index, written) -> {
            if (written) {
              visitor.visit(request, parsed.frameStart(index), parsed.frameEnd(index));
            }
          });
    }
  }

  /** Receives arguments by their place in a request. */
  public interface ArgumentVisitor {
    void visit(byte[] request, int start, int end);
  }

  /** A hash of some bytes: under that of a framed argument, {@link #itemHash} knows it. */
  public static int hash(byte[] bytes, int start, int end) {
    int hash = 1;
    for (int i = start; i < end; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash ^ hash >>> 15;
  }

  /**
   * Takes note that it was called no later than that, by System.nanoTime; the first note counts.
   */
  public final void calledBy(long nanos) {
    if (calledNanos == 0) {
      calledNanos = nanos == 0 ? 1 : nanos;
    }
  }

  /** Takes note, before it is queued, that it was counted in this cell. */
  public final void countedIn(CallerOrder order, int cell) {
    this.orderCell = cell;
    ORDER.set(this, order); // The queue shows it to other threads.
  }

  /** It is answered, or will never be. */
  public final void ended() {
    CallerOrder countedIn = order;
    if (countedIn != null && ORDER.compareAndSet(this, countedIn, null)) {
      if (fusible == null && countedIn.isReadAhead()) {
        countedIn.ended(writtenCell());
      }
      countedIn.leave(orderCell);
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

  /** The bare key of a read that may be fused. */
  public final byte[] key() {
    return fusible == Fusible.GET ? item() : bareArgument(headerBytes(), itemStart);
  }

  /** The bare item of a read that may be fused. */
  public final byte[] item() {
    return bareArgument(itemStart, request.length);
  }

  private byte[] bareArgument(int start, int end) {
    return Arrays.copyOfRange(request, RespRequest.contentStart(request, start), end - 2);
  }

  /** The slot of the key of a GET. Asked by its caller first, and by the event loop after. */
  public final int slot() {
    if (slot == NO_SLOT) {
      slot = SlotHash.getSlot(key());
    }
    return slot;
  }

  /** The {@link WriteClock} cell of what it may write; everything if that is not one key. */
  final int writtenCell() {
    if (fusible != null || traits.writesNothing()) {
      return WriteClock.NOTHING;
    }
    if (traits.writesAny() || traits.writesUnnamed()) {
      return WriteClock.EVERYTHING;
    }
    return traits.isOfFirstArgument() ? cellOfFirstArgument() : cellOfWrittenKeys();
  }

  /** Whether its reply may make its caller the owner of something, as that of SET NX does. */
  final boolean mayClaim() {
    return traits.isBlocking()
        || traits.mayClaim()
        || (traits.name().equals("SET") && isConditional(new RespRequest(request)));
  }

  private static boolean isConditional(RespRequest set) {
    for (int i = SET_OPTIONS; i < set.count(); i++) {
      int option = i;
      if (CONDITIONS.stream().anyMatch(condition -> set.is(option, condition))) {
        return true;
      }
    }
    return false;
  }

  /** The {@link WriteClock} cell of the first argument, which must be a key. */
  public final int cellOfFirstArgument() {
    int frame = RespRequest.frameEnd(request, RespRequest.firstFrame(request));
    int end = frame < request.length ? RespRequest.frameEnd(request, frame) : Integer.MAX_VALUE;
    return end <= request.length
        ? WriteClock.cell(request, RespRequest.contentStart(request, frame), end - 2)
        : WriteClock.EVERYTHING;
  }

  private int cellOfWrittenKeys() {
    RespRequest parsed = new RespRequest(request);
    int[] cell = {WriteClock.NOTHING};
    traits.forEachKey(
        parsed,
        (index, written) -> {
          if (written) {
            int of = WriteClock.cell(request, parsed.start(index), parsed.end(index));
            cell[0] = cell[0] == WriteClock.NOTHING ? of : WriteClock.EVERYTHING;
          }
        });
    return cell[0];
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
    if (decoding != null) {
      decoding.restart();
    }
    buffer.writeBytes(request, 0, request.length);
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

  /** A command whose reply is consumed piece by piece, so that its demand reaches the decoder. */
  private static final class Streaming<K, V, T> extends EncodedCommand<K, V, T>
      implements DemandAware.Sink {

    private final DemandAware.Sink sink;

    Streaming(
        RedisCommand<K, V, T> command, boolean mayFuse, @Nullable CommandCompression compression) {
      super(command, mayFuse, compression);
      this.sink = (DemandAware.Sink) command;
    }

    @Override
    public boolean hasDemand() {
      return sink.hasDemand();
    }

    @Override
    public void setSource(DemandAware.Source source) {
      sink.setSource(source);
    }

    @Override
    public void removeSource() {
      sink.removeSource();
    }
  }
}
