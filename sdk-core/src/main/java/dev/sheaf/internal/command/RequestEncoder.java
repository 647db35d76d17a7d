// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.SheafException;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.codec.ToByteBufEncoder;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Encodes commands to arrays of their exact size, through one buffer for each thread.
 *
 * <p>The buffer is of the heap, and makes others of the heap: Lettuce asks it for a temporary one
 * for each key, and a direct one costs more than all the rest of a small command.
 */
public final class RequestEncoder {

  private static final ByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);
  private static final int INITIAL_BYTES = 512;

  /** The request of a GET up to its key. */
  private static final byte[] GET = "*2\r\n$3\r\nGET\r\n".getBytes(StandardCharsets.US_ASCII);

  /** Where the key of an encoded GET begins, framed. */
  static final int GET_KEY = GET.length;

  /** A thread that once sent something large need not keep that much for ever. */
  private static final int MAX_KEPT_BYTES = 64 << 10;

  /** Softly, so that threads of an application server do not keep the classes of an application. */
  private static final ThreadLocal<@Nullable SoftReference<RequestEncoder>> OF_THREAD =
      new ThreadLocal<>();

  /** Null while it is in use: a codec may send commands itself. */
  private @Nullable ByteBuf buffer = HEAP.heapBuffer(INITIAL_BYTES);

  private RequestEncoder() {}

  private static RequestEncoder ofThread() {
    SoftReference<RequestEncoder> kept = OF_THREAD.get();
    RequestEncoder encoder = kept == null ? null : kept.get();
    if (encoder == null) {
      encoder = new RequestEncoder();
      OF_THREAD.set(new SoftReference<>(encoder));
    }
    return encoder;
  }

  /**
   * The request as it travels.
   *
   * @throws RuntimeException whatever the codec throws
   */
  public static byte[] encode(RedisCommand<?, ?, ?> command) {
    RequestEncoder encoder = ofThread();
    ByteBuf buffer = encoder.takeBuffer();
    try {
      command.encode(buffer);
      return Arrays.copyOf(buffer.array(), buffer.writerIndex());
    } finally {
      encoder.giveBack(buffer);
    }
  }

  /**
   * The request of a GET as it travels, the same bytes as of Lettuce's command.
   *
   * @throws RuntimeException whatever the codec throws
   */
  public static <K> byte[] encodeGet(RedisCodec<K, ?> codec, K key) {
    if (codec == StringCodec.UTF8 && key instanceof String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      // As many bytes as characters: no surrogates, of which codecs differ in what is half a pair.
      if (bytes.length == text.length()) {
        return framedGet(bytes, bytes.length);
      }
    }
    RequestEncoder encoder = ofThread();
    ByteBuf buffer = encoder.takeBuffer();
    try {
      encodeKey(codec, key, buffer);
      return framedGet(buffer.array(), buffer.writerIndex());
    } finally {
      encoder.giveBack(buffer);
    }
  }

  /** What becomes of a command whose arguments its codec could not encode. */
  public static SheafException failure(ProtocolKeyword type, RuntimeException ofCodec) {
    return new SheafException(
        "Cannot encode " + type + ": the codec failed with " + ofCodec, ofCodec);
  }

  /**
   * The bytes of a key, as in a command.
   *
   * @throws RuntimeException whatever the codec throws
   */
  static <K> byte[] encodeKey(RedisCodec<K, ?> codec, K key) {
    RequestEncoder encoder = ofThread();
    ByteBuf buffer = encoder.takeBuffer();
    try {
      encodeKey(codec, key, buffer);
      return Arrays.copyOf(buffer.array(), buffer.writerIndex());
    } finally {
      encoder.giveBack(buffer);
    }
  }

  @SuppressWarnings("unchecked") // What encodes a codec's keys to a buffer has its type of key.
  private static <K> void encodeKey(RedisCodec<K, ?> codec, K key, ByteBuf buffer) {
    if (codec instanceof ToByteBufEncoder) {
      ((ToByteBufEncoder<K, ?>) codec).encodeKey(key, buffer);
    } else {
      buffer.writeBytes(codec.encodeKey(key));
    }
  }

  private static byte[] framedGet(byte[] key, int length) {
    int keyStart = GET_KEY + 1 + digits(length) + 2;
    byte[] request = Arrays.copyOf(GET, keyStart + length + 2);
    request[GET_KEY] = '$';
    putDecimal(request, GET_KEY + 1, length);
    request[keyStart - 2] = '\r';
    request[keyStart - 1] = '\n';
    System.arraycopy(key, 0, request, keyStart, length);
    request[keyStart + length] = '\r';
    request[keyStart + length + 1] = '\n';
    return request;
  }

  /**
   * Where the last argument of an encoded read begins, framed; 0 if the request is not a plain one.
   *
   * @param arguments how many it has: one is a GET
   */
  static int lastArgument(byte[] request, int arguments) {
    if (arguments == 1) {
      return request.length > GET_KEY && Arrays.equals(request, 0, GET_KEY, GET, 0, GET_KEY)
          ? GET_KEY
          : 0;
    }
    RespRequest parsed = new RespRequest(request);
    return parsed.count() == arguments + 1 && parsed.frameEnd(arguments) == request.length
        ? parsed.frameStart(arguments)
        : 0;
  }

  /** A hash of some bytes of a request. */
  public static int hash(byte[] bytes, int start, int end) {
    int hash = 1;
    for (int i = start; i < end; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash ^ hash >>> 15;
  }

  /** How many digits a number has that is not negative. */
  private static int digits(int number) {
    int digits = 1;
    for (int rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  /**
   * Puts a number that is not negative into a request.
   *
   * @return where it ends
   */
  public static int putDecimal(byte[] request, int at, int number) {
    int end = at + digits(number);
    int rest = number;
    for (int i = end - 1; i >= at; i--) {
      request[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return end;
  }

  private ByteBuf takeBuffer() {
    ByteBuf free = buffer;
    buffer = null;
    return free == null ? HEAP.heapBuffer(INITIAL_BYTES) : free;
  }

  private void giveBack(ByteBuf used) {
    buffer = used.capacity() <= MAX_KEPT_BYTES ? used.clear() : HEAP.heapBuffer(INITIAL_BYTES);
  }
}
