// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.keys.KeyReads;
import dev.sheaf.internal.keys.MultiGet;
import dev.sheaf.internal.keys.MultiRead;
import dev.sheaf.internal.keys.ReadRouter;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.MapOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The commands that may be read ahead in a loop that was learned. */
enum AheadRead {
  GET(1) {
    @Override
    <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest) {
      return MultiGet.ofEach(router, keys);
    }
  },

  HGETALL(1) {
    @Override
    <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest) {
      return new MultiRead<>(
          router,
          CommandType.HGETALL,
          keys,
          () -> new MeasuredMap<>(router.codec()),
          output -> output.bytes,
          args -> {});
    }
  },

  HGET(2) {
    @Override
    @SuppressWarnings("unchecked") // The field that was asked for is of the type of keys.
    <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest) {
      return new MultiRead<>(
          router,
          CommandType.HGET,
          keys,
          () -> new MeasuredValue<>(router.codec()),
          output -> output.bytes,
          args -> args.addKey((K) rest));
    }
  },

  EXISTS(1) {
    @Override
    <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest) {
      return numbers(router, CommandType.EXISTS, keys);
    }
  },

  TTL(1) {
    @Override
    <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest) {
      return numbers(router, CommandType.TTL, keys);
    }
  };

  /** How a number travels, about. */
  private static final int NUMBER_BYTES = 8;

  private final int parameters;

  AheadRead(int parameters) {
    this.parameters = parameters;
  }

  /** The command that a method of Lettuce's or Spring's sends; null if it may not be read ahead. */
  static @Nullable AheadRead of(Method method) {
    String name = method.getName().toUpperCase(Locale.ROOT);
    for (AheadRead read : values()) {
      if (read.name().equals(name) && method.getParameterCount() == read.parameters) {
        return read;
      }
    }
    return null;
  }

  /** The key that a call is for; null if it is for none or for several. */
  static @Nullable Object keyOf(@Nullable Object argument) {
    return argument instanceof Object[] several
        ? several.length == 1 ? several[0] : null
        : argument;
  }

  /** Reads of some keys; the rest is the further argument of all. */
  abstract <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest);

  /** A reply as a method gives it. */
  static @Nullable Object asOf(Method method, @Nullable Object reply) {
    return reply instanceof Long number && method.getReturnType() == Boolean.class
        ? (Object) (number > 0)
        : reply;
  }

  private static <K, V> KeyReads<Long> numbers(
      ReadRouter<K, V> router, CommandType type, List<K> keys) {
    return new MultiRead<>(
        router,
        type,
        keys,
        () -> new IntegerOutput<>(router.codec()),
        output -> NUMBER_BYTES,
        args -> {});
  }

  /** The value of one field, and its size before it was decoded. */
  private static final class MeasuredValue<K, V> extends ValueOutput<K, V> {

    private long bytes;

    MeasuredValue(RedisCodec<K, V> codec) {
      super(codec);
    }

    @Override
    public void set(ByteBuffer value) {
      bytes += value == null ? 0 : value.remaining();
      super.set(value);
    }
  }

  /** A hash, and its size before it was decoded. */
  private static final class MeasuredMap<K, V> extends MapOutput<K, V> {

    private long bytes;

    MeasuredMap(RedisCodec<K, V> codec) {
      super(codec);
    }

    @Override
    public void set(ByteBuffer part) {
      bytes += part == null ? 0 : part.remaining();
      super.set(part);
    }
  }
}
