// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.command.CommandTraits;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The commands that can be read ahead: GET in declared loops, all of them in learned ones. */
enum AheadRead {
  GET(1),
  HGETALL(1),
  HGET(2),
  EXISTS(1),
  TTL(1);

  /** The approximate size of a number in a reply. */
  private static final int NUMBER_BYTES = 8;

  private final int parameters;

  AheadRead(int parameters) {
    this.parameters = parameters;
  }

  /** The command of a method of Lettuce's or Spring's; null if it cannot be read ahead. */
  static @Nullable AheadRead of(Method method) {
    String name = method.getName().toUpperCase(Locale.ROOT);
    for (AheadRead read : values()) {
      if (read.name().equals(name) && method.getParameterCount() == read.parameters) {
        return read;
      }
    }
    return null;
  }

  /** The key of a call; null if it has none or several. */
  static @Nullable Object keyOf(@Nullable Object argument) {
    return argument instanceof Object[] several
        ? several.length == 1 ? several[0] : null
        : argument;
  }

  /** Reads of some keys, with a common further argument. */
  @SuppressWarnings("unchecked") // The field that was asked for is of the type of keys.
  <K, V> KeyReads<?> reads(ReadRouter<K, V> router, List<K> keys, @Nullable Object rest) {
    RedisCodec<K, V> codec = router.codec();
    return switch (this) {
      case GET -> MultiGet.ofEach(router, keys);
      case HGETALL ->
          new MultiRead<>(
              router,
              CommandType.HGETALL,
              keys,
              () -> new MeasuredMap<>(codec),
              output -> output.bytes,
              args -> {});
      case HGET ->
          new MultiRead<>(
              router,
              CommandType.HGET,
              keys,
              () -> new MeasuredValue<>(codec),
              output -> output.bytes,
              args -> args.addKey((K) rest));
      case EXISTS -> numbers(router, CommandType.EXISTS, keys);
      case TTL -> numbers(router, CommandType.TTL, keys);
    };
  }

  /** Converts a reply to the result of a method. */
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

  /**
   * The properties of a method that matter for reading ahead.
   *
   * @param command the name of the command
   * @param ahead how to read it ahead; null if it cannot be
   * @param keyed whether its first argument is its only key
   * @param tellsMore whether its reply may be newer than values read ahead
   */
  record Seen(String command, @Nullable AheadRead ahead, boolean keyed, boolean tellsMore) {

    private static final ConcurrentMap<Method, Seen> KNOWN = new ConcurrentHashMap<>();

    static Seen of(Method method) {
      Seen known = KNOWN.get(method);
      return known == null ? KNOWN.computeIfAbsent(method, Seen::look) : known;
    }

    private static Seen look(Method method) {
      CommandTraits traits = CommandTraits.ofMethod(method.getName());
      boolean keyed = traits.isOfFirstArgument() && method.getParameterCount() > 0;
      return new Seen(
          traits.isKnown() ? traits.name() : method.getName().toUpperCase(Locale.ROOT),
          AheadRead.of(method),
          keyed,
          keyed || traits.isRead() || !traits.isKnown());
    }
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
