// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.internal.common.ScriptReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The type that a script returns, and the conversion of its reply to Java. The same for RESP2 and
 * RESP3.
 *
 * <p>Replies have the stored bytes as the script returned them: no codec and no decompression is
 * applied; {@link Scripts#decoded} applies the client's codec. Redis truncates the numbers that a
 * script returns to integers. A script that returns a fraction must return it as text.
 *
 * <p>Immutable and thread-safe.
 *
 * @param <T> the Java type
 */
public final class ResultType<T extends @Nullable Object> {

  /** An integer. If the script returns nil or another type, the call fails. */
  public static final ResultType<Long> INTEGER =
      new ResultType<>("an integer", ResultType::toInteger);

  /**
   * Lua's {@code true} and {@code false}, or 1 and 0. A nil reply is false, because Redis sends
   * false as nil.
   */
  public static final ResultType<Boolean> BOOLEAN =
      new ResultType<>("a boolean", ResultType::toBoolean);

  /** A UTF-8 string; null if the script returns nil or false. */
  public static final ResultType<@Nullable String> TEXT =
      new ResultType<>("a text", ResultType::toText);

  /** Unchanged bytes; null if the script returns nil or false. */
  public static final ResultType<byte @Nullable []> BYTES =
      new ResultType<>("bytes", ResultType::toBytes);

  /** A status such as {@code redis.status_reply('OK')} or the reply of SET; never null. */
  public static final ResultType<String> STATUS =
      new ResultType<>("a status", ResultType::toStatus);

  /** Discards the reply. */
  public static final ResultType<@Nullable Void> NOTHING =
      new ResultType<>("nothing", reply -> null);

  /**
   * The unchanged reply: null, {@code Long}, {@code Double}, {@code Boolean}, {@code byte[]} for
   * strings and statuses, {@code List} or {@code Map} of these. An error inside a list is a {@link
   * io.lettuce.core.RedisCommandExecutionException}.
   */
  public static final ResultType<@Nullable Object> RAW =
      new ResultType<>("any reply", ResultType::toRaw);

  private final String description;
  private final Function<@Nullable Object, T> decoder;

  private ResultType(String description, Function<@Nullable Object, T> decoder) {
    this.description = description;
    this.decoder = decoder;
  }

  /** A list; nil is an empty list. Redis ends a Lua table at its first nil. */
  public static <E extends @Nullable Object> ResultType<List<E>> listOf(ResultType<E> elements) {
    Objects.requireNonNull(elements, "elements");
    return new ResultType<>(
        "a list of " + elements.description,
        reply -> {
          List<E> list = new ArrayList<>();
          for (Object element : toList(reply)) {
            list.add(elements.decode(element));
          }
          return Collections.unmodifiableList(list);
        });
  }

  /**
   * A map with strings as keys: a RESP3 map, or a list of alternating keys and values, as HGETALL
   * returns inside a script. The order is kept. Nil is an empty map.
   */
  public static <E extends @Nullable Object> ResultType<Map<String, E>> mapOf(
      ResultType<E> values) {
    Objects.requireNonNull(values, "values");
    return new ResultType<>(
        "a map to " + values.description,
        reply -> {
          Map<String, E> map = new LinkedHashMap<>();
          List<?> flat =
              reply instanceof ScriptReply.Entries entries ? entries.flat() : toList(reply);
          if (flat.size() % 2 != 0) {
            throw new ScriptReply.Mismatch("a list of " + flat.size() + " elements, an odd number");
          }
          for (int i = 0; i < flat.size(); i += 2) {
            map.put(Objects.requireNonNull(toText(flat.get(i))), values.decode(flat.get(i + 1)));
          }
          return Collections.unmodifiableMap(map);
        });
  }

  /**
   * Returns a type that converts the results of this one.
   *
   * @param conversion runs on an event loop of the client and must not block. An exception from it
   *     fails the call
   */
  public <R extends @Nullable Object> ResultType<R> map(
      Function<? super T, ? extends R> conversion) {
    Objects.requireNonNull(conversion, "conversion");
    return new ResultType<>(description, reply -> conversion.apply(decode(reply)));
  }

  /**
   * Converts a reply that the client has read.
   *
   * @throws RuntimeException if the reply has another type
   */
  public T decode(@Nullable Object reply) {
    return decoder.apply(reply);
  }

  /** Returns what is expected, such as "an integer". */
  @Override
  public String toString() {
    return description;
  }

  private static Long toInteger(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    throw new ScriptReply.Mismatch(ScriptReply.describe(reply));
  }

  private static Boolean toBoolean(@Nullable Object reply) {
    if (reply == null) {
      return false;
    }
    if (reply instanceof Boolean value) {
      return value;
    }
    if (reply instanceof Long number && (number == 0 || number == 1)) {
      return number == 1;
    }
    throw new ScriptReply.Mismatch(ScriptReply.describe(reply));
  }

  private static @Nullable String toText(@Nullable Object reply) {
    if (reply instanceof Long || reply instanceof Double) {
      return reply.toString();
    }
    byte[] bytes = toBytes(reply);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte @Nullable [] toBytes(@Nullable Object reply) {
    if (reply == null) {
      return null;
    }
    if (reply instanceof byte[] bytes) {
      return bytes;
    }
    throw new ScriptReply.Mismatch(ScriptReply.describe(reply));
  }

  private static String toStatus(@Nullable Object reply) {
    String status = reply instanceof byte[] ? toText(reply) : null;
    if (status == null) {
      throw new ScriptReply.Mismatch(ScriptReply.describe(reply));
    }
    return status;
  }

  private static List<?> toList(@Nullable Object reply) {
    if (reply == null) {
      return List.of();
    }
    if (reply instanceof List<?> list) {
      return list;
    }
    throw new ScriptReply.Mismatch(ScriptReply.describe(reply));
  }

  private static @Nullable Object toRaw(@Nullable Object reply) {
    if (reply instanceof ScriptReply.Failure failure) {
      return failure.exception();
    }
    if (reply instanceof List<?> list) {
      List<@Nullable Object> raw = new ArrayList<>();
      for (Object element : list) {
        raw.add(toRaw(element));
      }
      return Collections.unmodifiableList(raw);
    }
    if (reply instanceof ScriptReply.Entries entries) {
      Map<@Nullable Object, @Nullable Object> raw = new LinkedHashMap<>();
      List<?> flat = entries.flat();
      for (int i = 0; i + 1 < flat.size(); i += 2) {
        Object key = flat.get(i) instanceof byte[] ? toText(flat.get(i)) : toRaw(flat.get(i));
        raw.put(key, toRaw(flat.get(i + 1)));
      }
      return Collections.unmodifiableMap(raw);
    }
    return reply;
  }
}
