// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.SheafException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.codec.ToByteBufEncoder;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TracedCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes commands to arrays of their exact size, through one buffer per thread.
 *
 * <p>It is a heap buffer, and so are the temporary buffers that Lettuce allocates from it for each
 * key. A direct one costs more than the rest of a small command.
 */
public final class RequestEncoder {

  private static final ByteBufAllocator HEAP = new UnpooledByteBufAllocator(false, true);
  private static final int INITIAL_BYTES = 512;

  /** The request of a GET up to its key. */
  private static final byte[] GET = "*2\r\n$3\r\nGET\r\n".getBytes(StandardCharsets.US_ASCII);

  /** The name of an MGET as it follows the count of arguments. */
  private static final byte[] MGET = "\r\n$4\r\nMGET\r\n".getBytes(StandardCharsets.US_ASCII);

  /** The index of the framed key in an encoded GET. */
  static final int GET_KEY = GET.length;

  /** Larger buffers are not kept after use. */
  private static final int MAX_KEPT_BYTES = 64 << 10;

  /**
   * A soft reference, so that threads of an application server do not pin an application's classes.
   */
  private static final ThreadLocal<@Nullable SoftReference<RequestEncoder>> OF_THREAD =
      new ThreadLocal<>();

  /** Null while in use: a codec may send commands itself. */
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
   * Encodes the request of a command.
   *
   * @throws RuntimeException if the codec throws one
   */
  public static byte[] encode(RedisCommand<?, ?, ?> command) {
    // A traced command notes when it is encoded.
    if (command.getArgs() instanceof KeyArgs<?, ?> key
        && CommandWrapper.unwrap(command, TracedCommand.class) == null) {
      return key.request();
    }
    RequestEncoder encoder = ofThread();
    ByteBuf buffer = encoder.takeBuffer();
    try {
      command.encode(buffer);
      return Arrays.copyOf(buffer.array(), buffer.writerIndex());
    } finally {
      encoder.giveBack(buffer);
    }
  }

  /** Creates a GET whose key is encoded once, for routing and for sending alike. */
  public static <K, V> RedisCommand<K, V, V> newGet(
      K key, CommandOutput<K, V, V> output, RedisCodec<K, V> codec) {
    return new Command<>(CommandType.GET, output, new KeyArgs<>(codec, key));
  }

  /**
   * The key of a GET, its only argument. It is encoded as soon as it is needed, once, and without
   * the temporary buffer that Lettuce allocates for each key.
   */
  private static final class KeyArgs<K, V> extends CommandArgs<K, V> {

    private final K key;

    /** The whole request. Set by the calling thread, before others see the command. */
    private byte @Nullable [] request;

    KeyArgs(RedisCodec<K, V> codec, K key) {
      super(codec);
      this.key = key;
      addKey(key);
    }

    /** The request of the GET with this key; the same array each time. */
    byte[] request() {
      byte[] encoded = request;
      if (encoded == null) {
        encoded = encodeGet(codec, key);
        request = encoded;
      }
      return encoded;
    }

    @Override
    public void encode(ByteBuf buffer) {
      byte[] encoded = request();
      buffer.writeBytes(encoded, GET_KEY, encoded.length - GET_KEY);
    }

    /** A copy, as Lettuce computes slots of whole arrays. */
    @Override
    public ByteBuffer getFirstEncodedKey() {
      byte[] encoded = request();
      int start = RespRequest.contentStart(encoded, GET_KEY);
      return ByteBuffer.wrap(Arrays.copyOfRange(encoded, start, encoded.length - 2));
    }
  }

  /**
   * Encodes the request of a GET, with the same bytes as Lettuce's command.
   *
   * @throws RuntimeException if the codec throws one
   */
  public static <K> byte[] encodeGet(RedisCodec<K, ?> codec, K key) {
    byte[] bytes = keyBytes(codec, key);
    int keyStart = GET_KEY + 1 + digits(bytes.length) + 2;
    byte[] request = Arrays.copyOf(GET, keyStart + bytes.length + 2);
    putFrame(request, GET_KEY, bytes);
    return request;
  }

  /**
   * Encodes the request of an MGET, with the same bytes as Lettuce's command.
   *
   * @throws RuntimeException if the codec throws one
   */
  public static <K> byte[] encodeMget(RedisCodec<K, ?> codec, List<K> keys) {
    byte[][] bytes = new byte[keys.size()][];
    int size = 1 + digits(bytes.length + 1) + MGET.length;
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = keyBytes(codec, keys.get(i));
      size += 1 + digits(bytes[i].length) + 2 + bytes[i].length + 2;
    }
    byte[] request = new byte[size];
    request[0] = '*';
    int at = putDecimal(request, 1, bytes.length + 1);
    System.arraycopy(MGET, 0, request, at, MGET.length);
    at += MGET.length;
    for (byte[] key : bytes) {
      at = putFrame(request, at, key);
    }
    return request;
  }

  /** Encodes a key; a string of one byte per character, and bytes, without a buffer. */
  private static <K> byte[] keyBytes(RedisCodec<K, ?> codec, K key) {
    if (codec == StringCodec.UTF8 && key instanceof String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      // As many bytes as characters: no surrogates, for which codecs differ on unpaired ones.
      if (bytes.length == text.length()) {
        return bytes;
      }
    }
    return codec == ByteArrayCodec.INSTANCE && key instanceof byte[] bytes
        ? bytes
        : encodeKey(codec, key);
  }

  /**
   * Writes an argument into a request.
   *
   * @return the index after it
   */
  private static int putFrame(byte[] request, int at, byte[] argument) {
    request[at] = '$';
    int start = putDecimal(request, at + 1, argument.length) + 2;
    request[start - 2] = '\r';
    request[start - 1] = '\n';
    System.arraycopy(argument, 0, request, start, argument.length);
    int end = start + argument.length;
    request[end] = '\r';
    request[end + 1] = '\n';
    return end + 2;
  }

  /** The error of a command whose arguments could not be encoded. */
  public static SheafException failure(ProtocolKeyword type, RuntimeException ofCodec) {
    return new SheafException(
        "Cannot encode " + type + ": the codec failed with " + ofCodec, ofCodec);
  }

  /**
   * Encodes a key as in a command.
   *
   * @throws RuntimeException if the codec throws one
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

  /**
   * The index of the last argument of an encoded read, framed; 0 if the request has another form.
   *
   * @param arguments how many arguments it must have: one for a GET
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

  /** The number of digits of a non-negative number. */
  private static int digits(int number) {
    int digits = 1;
    for (int rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  /**
   * Writes a non-negative number into a request.
   *
   * @return the index after it
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
