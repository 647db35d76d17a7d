package dev.sheaf.internal.engine;

import io.lettuce.core.protocol.CommandEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The way to a socket past its event loop, for a caller who is alone: to wake the event loop, only
 * to have it write a few bytes, takes a lone caller longer than to write them.
 *
 * <p>Replies carry no names, so Lettuce has to know of each request before its reply is read, and
 * of all requests in the order of their bytes. So a caller may write only while the event loop has
 * opened the way because nothing is under way, and only one flight; and the event loop closes the
 * way, and takes note of what was written meanwhile, before it reads from the socket, writes to it
 * or gives it up.
 *
 * <p>The way is there on Java's own sockets only. Native transports give out numbers of sockets,
 * which may be those of others once closed; TLS and whatever else stands between Lettuce and the
 * socket has to see the bytes.
 *
 * <p>Thread-safe.
 */
final class Shortcut {

  /**
   * What a caller writes at once. Larger requests take so long that waking the event loop no longer
   * counts, and Java keeps a buffer of the size of the largest for each thread that ever wrote.
   */
  static final int MAX_BYTES = 64 * 1024;

  /** The socket belongs to the event loop. */
  private static final int CLOSED = 0;

  /** Nothing is under way; whoever comes first may write. */
  private static final int OPEN = 1;

  /** A caller is about to write. */
  private static final int WRITING = 2;

  /** A caller has written a flight that the event loop does not know of yet. */
  private static final int WRITTEN = 3;

  private final NioSocketChannel channel;
  private final AtomicInteger state = new AtomicInteger(CLOSED);

  /** What was written; published by {@link #state}. */
  private @Nullable Flight flight;

  private Shortcut(NioSocketChannel channel) {
    this.channel = channel;
  }

  /** The way past the event loop of this channel, closed; null if there is none. */
  static @Nullable Shortcut past(Channel channel) {
    if (channel.getClass() != NioSocketChannel.class) {
      return null;
    }
    for (Map.Entry<String, ChannelHandler> handler : channel.pipeline()) {
      if (handler.getValue() instanceof FlightHandler) {
        return new Shortcut((NioSocketChannel) channel);
      }
      if (mayChangeBytes(handler.getValue())) {
        return null;
      }
    }
    return null;
  }

  private static boolean mayChangeBytes(ChannelHandler handler) {
    return handler instanceof ChannelOutboundHandler && handler.getClass() != CommandEncoder.class;
  }

  /**
   * Opens the way, unless something is only half written. To be called on the event loop, when
   * nothing is under way.
   */
  void open() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    if (unsent != null && unsent.isEmpty()) {
      state.set(OPEN);
    }
  }

  /**
   * Enters, if the way is open: the socket belongs to the caller until {@link #leave}, which must
   * follow soon. Not on the event loop.
   */
  boolean tryEnter() {
    return state.get() == OPEN
        && !channel.eventLoop().inEventLoop()
        && state.compareAndSet(OPEN, WRITING);
  }

  /**
   * Writes a flight as far as the socket takes it at once; the event loop writes the rest. By the
   * caller that has entered.
   *
   * @return whether all was written; if not, the event loop has to be woken after {@link #leave}
   */
  boolean write(Flight flight) {
    ByteBuf request = Unpooled.buffer((int) flight.bytes());
    flight.encode(request);
    ByteBuffer unsent = request.nioBuffer();
    this.flight = flight;
    try {
      ((WritableByteChannel) channel.unsafe().ch()).write(unsent);
    } catch (IOException broken) {
      // The event loop meets the same failure, and knows what to do about it.
      return false;
    } finally {
      flight.writtenButFor(unsent);
    }
    return !unsent.hasRemaining();
  }

  /**
   * Gives the socket back.
   *
   * @return whether a flight has left with it, at least in part
   */
  boolean leave() {
    boolean written = flight != null;
    state.set(written ? WRITTEN : CLOSED);
    return written;
  }

  /**
   * Closes the way. On the event loop, which waits for a caller in the middle of writing.
   *
   * @return what was written by a caller, and is to be made known to Lettuce; null if nothing
   */
  @Nullable Flight close() {
    while (true) {
      switch (state.get()) {
        case CLOSED -> {
          return null;
        }
        case OPEN -> {
          if (state.compareAndSet(OPEN, CLOSED)) {
            return null;
          }
        }
        case WRITTEN -> {
          Flight written = flight;
          flight = null;
          state.set(CLOSED);
          return written;
        }
        default -> Thread.yield();
      }
    }
  }

  /** Whether something was written that the event loop does not know of. */
  boolean isWritten() {
    return state.get() == WRITTEN;
  }
}
