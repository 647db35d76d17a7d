// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.internal.command.ReplyDecoder;
import dev.sheaf.internal.command.RespRequest;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An output decorator that decompresses values before it passes them to the output of the command.
 *
 * <p>From the first large value on, the parts of the reply are recorded, and replayed on another
 * thread once the reply is complete. Otherwise it is confined to the event loop.
 */
public final class DecodingOutput<K, V, T> extends ReplyDecoder<K, V, T> {

  @SuppressWarnings("HidingField") // The field above holds the value; this output has none.
  private final CommandOutput<K, V, T> output;

  private final CompressionEngine engine;
  private final byte[] request;

  /** The command to fail alone, if the reply is part of another command's; otherwise null. */
  private final @Nullable RedisCommand<K, V, T> partOfTransaction;

  private final ReplyPosition position;
  private @Nullable List<Runnable> noted;

  /** Dictionaries being fetched for recorded values; null if there are none. */
  private @Nullable CompletableFuture<?> awaited;

  private int awaitedId;
  private long notedBytes;
  private long decodedBytes;

  @SuppressWarnings("unchecked") // Lettuce requires a codec; this output decodes nothing itself.
  DecodingOutput(
      CommandOutput<K, V, T> output,
      ReplyShape shape,
      CompressionEngine engine,
      byte[] request,
      @Nullable RedisCommand<K, V, T> partOfTransaction) {
    super((RedisCodec<K, V>) (RedisCodec<?, ?>) ByteArrayCodec.INSTANCE, nothing());
    this.output = output;
    this.position = new ReplyPosition(shape);
    this.engine = engine;
    this.request = request;
    this.partOfTransaction = partOfTransaction;
  }

  // The value is that of the wrapped output.
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Override
  public void restart() {
    position.restart();
    noted = null;
    awaited = null;
    awaitedId = 0;
    notedBytes = 0;
    decodedBytes = 0;
  }

  @Override
  public boolean completesLater(RedisCommand<K, V, T> command) {
    List<Runnable> reading = noted;
    if (reading == null) {
      return false;
    }
    noted = null;
    long bytes = notedBytes;
    Runnable read = () -> read(reading, command);
    CompletableFuture<?> dictionaries = awaited;
    if (dictionaries == null) {
      engine.decodeLater(bytes, read);
    } else {
      // If a dictionary could not be fetched, decoding reports it.
      dictionaries.whenComplete((fetched, failure) -> engine.decodeLater(bytes, read));
    }
    return true;
  }

  private void read(List<Runnable> reading, RedisCommand<K, V, T> command) {
    if (!command.isDone()) {
      try {
        reading.forEach(Runnable::run);
      } catch (Throwable e) {
        // Catches everything: nobody else would ever complete the command.
        command.completeExceptionally(e);
      }
    }
    command.complete();
  }

  @Override
  public void set(ByteBuffer bytes) {
    boolean value = position.bulk();
    if (bytes == null) {
      pass(() -> output.set(noBytes()));
    } else if (value && looksCompressed(bytes)) {
      decode(bytes, position.elements());
    } else {
      pass(bytes, output::set);
    }
  }

  @SuppressWarnings("NullAway") // Lettuce passes null for nil.
  private static ByteBuffer noBytes() {
    return null;
  }

  private static boolean looksCompressed(ByteBuffer bytes) {
    if (bytes.remaining() < Envelope.MIN_MAGIC_PREFIX
        || !Envelope.mayBeginWith(bytes.get(bytes.position()))) {
      return false;
    }
    byte[] first = beginning(bytes, Envelope.MAGIC_BYTES);
    return Envelope.looksLikeOne(first, 0, first.length);
  }

  private static byte[] beginning(ByteBuffer bytes, int length) {
    byte[] first = new byte[Math.min(length, bytes.remaining())];
    bytes.get(bytes.position(), first);
    return first;
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return copy;
  }

  @SuppressWarnings("ByteBufferBackingArray") // Recorded bytes are a copy with an array of its own.
  private void decode(ByteBuffer bytes, int element) {
    if (partOfTransaction == null) {
      byte[] header = beginning(bytes, Envelope.HEADER_BYTES);
      int missing = engine.missingDictionary(header);
      if (missing != 0) {
        await(missing);
      }
      if (noted == null && (missing != 0 || engine.isLarge(header))) {
        noted = new ArrayList<>();
      }
    }
    if (noted == null && partOfTransaction == null && output instanceof CallerOutput<?, ?> waited) {
      byte[] stored = copy(bytes);
      waited.leave(() -> open(stored, stored.length, element));
    } else if (noted == null) {
      decodeAtOnce(bytes, element);
    } else {
      pass(bytes, stored -> decodeNow(stored.array(), stored.limit(), element));
    }
  }

  private void await(int dictionary) {
    if (dictionary != awaitedId) {
      CompletableFuture<?> fetch = engine.dictionaries().known().fetch(dictionary);
      awaited = awaited == null ? fetch : CompletableFuture.allOf(awaited, fetch);
      awaitedId = dictionary;
    }
  }

  private void decodeAtOnce(ByteBuffer bytes, int element) {
    try (Scratch scratch = Scratch.borrow()) {
      int length = bytes.remaining();
      byte[] stored = scratch.ofAtLeast(length);
      bytes.get(bytes.position(), stored, 0, length);
      decodeNow(stored, length, element);
    }
  }

  private byte[] open(byte[] stored, int length, int element) {
    try {
      return engine.values().decode(stored, length, decodedBytes);
    } catch (UnreadableValueException e) {
      throw new UnreadableValueException(
          e.reason(), place(element) + ": " + e.getMessage(), e.getCause());
    }
  }

  private void decodeNow(byte[] stored, int length, int element) {
    byte[] original;
    try {
      original = open(stored, length, element);
    } catch (UnreadableValueException e) {
      fail(e);
      return;
    }
    decodedBytes += original.length;
    output.set(ByteBuffer.wrap(original));
  }

  private void fail(UnreadableValueException failure) {
    if (partOfTransaction == null) {
      throw failure;
    }
    partOfTransaction.completeExceptionally(failure);
    output.setError(String.valueOf(failure.getMessage()));
  }

  private String place(int element) {
    RespRequest parsed = new RespRequest(request);
    String name = parsed.name();
    boolean manyKeys = name.equals("MGET");
    int key = manyKeys ? element : 1;
    boolean keyFirst = !name.startsWith("X") && !name.startsWith("BLM") && !name.equals("LMPOP");
    return keyFirst && key > 0 && key < parsed.count()
        ? name + " of key " + parsed.shown(key)
        : name;
  }

  /** Passes on a part of the reply, or records it if it follows a large value. */
  private void pass(Runnable event) {
    List<Runnable> list = noted;
    if (list == null) {
      event.run();
    } else {
      list.add(event);
    }
  }

  private void pass(ByteBuffer bytes, Consumer<ByteBuffer> event) {
    List<Runnable> list = noted;
    if (list == null) {
      event.accept(bytes);
    } else {
      byte[] copy = copy(bytes);
      list.add(() -> event.accept(ByteBuffer.wrap(copy)));
      notedBytes += copy.length;
    }
  }

  @Override
  public T get() {
    return output.get();
  }

  @Override
  public void setSingle(ByteBuffer bytes) {
    position.other();
    pass(bytes, output::setSingle);
  }

  @Override
  public void setBigNumber(ByteBuffer bytes) {
    position.other();
    pass(bytes, output::setBigNumber);
  }

  @Override
  public void set(long integer) {
    position.other();
    pass(() -> output.set(integer));
  }

  @Override
  public void set(double number) {
    position.other();
    pass(() -> output.set(number));
  }

  @Override
  public void set(boolean value) {
    position.other();
    pass(() -> output.set(value));
  }

  /** Errors are passed on at once: they decide about redirects, and never follow values. */
  @Override
  public void setError(ByteBuffer error) {
    output.setError(error);
  }

  @Override
  public void setError(String error) {
    output.setError(error);
  }

  @Override
  public boolean hasError() {
    return output.hasError();
  }

  @Override
  public String getError() {
    return output.getError();
  }

  @Override
  public void complete(int depth) {
    pass(() -> output.complete(depth));
  }

  @Override
  public void multi(int count) {
    position.open();
    pass(() -> output.multi(count));
  }

  @Override
  public void multiArray(int count) {
    position.open();
    pass(() -> output.multiArray(count));
  }

  @Override
  public void multiPush(int count) {
    position.open();
    pass(() -> output.multiPush(count));
  }

  @Override
  public void multiMap(int count) {
    position.open();
    pass(() -> output.multiMap(count));
  }

  @Override
  public void multiSet(int count) {
    position.open();
    pass(() -> output.multiSet(count));
  }

  @Override
  public String toString() {
    return "Decoding " + output;
  }
}
