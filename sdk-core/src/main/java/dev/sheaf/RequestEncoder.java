package dev.sheaf;

import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Encodes commands to arrays of their exact size, through one buffer for each thread.
 *
 * <p>The buffer is of the heap, and makes others of the heap: Lettuce asks it for a temporary one
 * for each key, and a direct one costs more than all the rest of a small command.
 */
final class RequestEncoder {

  private static final ByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);
  private static final int INITIAL_BYTES = 512;

  /** A thread that once sent something large need not keep that much for ever. */
  private static final int MAX_KEPT_BYTES = 64 << 10;

  private static final ThreadLocal<RequestEncoder> OF_THREAD =
      ThreadLocal.withInitial(RequestEncoder::new);

  /** Null while it is in use: a codec may send commands itself. */
  private @Nullable ByteBuf buffer = HEAP.heapBuffer(INITIAL_BYTES);

  private RequestEncoder() {}

  /**
   * The request as it travels.
   *
   * @throws RuntimeException whatever the codec throws
   */
  static byte[] encode(RedisCommand<?, ?, ?> command) {
    RequestEncoder encoder = OF_THREAD.get();
    ByteBuf buffer = encoder.buffer;
    encoder.buffer = null;
    if (buffer == null) {
      buffer = HEAP.heapBuffer(INITIAL_BYTES);
    }
    try {
      command.encode(buffer);
      return Arrays.copyOf(buffer.array(), buffer.writerIndex());
    } finally {
      encoder.buffer =
          buffer.capacity() <= MAX_KEPT_BYTES ? buffer.clear() : HEAP.heapBuffer(INITIAL_BYTES);
    }
  }
}
