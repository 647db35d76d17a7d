// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries stored in Redis: one hash for a whole key space, so that a reader finds one by
 * its identifier alone, and further keys in the same slot. Never blocks. Thread-safe.
 *
 * <p>It has its own connection, opened at the first command. On the shared connection, a command
 * could end up between MULTI and EXEC, or in another database. An executor sends the commands,
 * because the requesting thread may be inside a blocking call, or drive an event loop.
 */
public final class DictionaryStore {

  /** Identifier to dictionary. Has no expiry. */
  public static final String KEY = "sheaf:{dictionaries}";

  /** Prefix to the identifier of its current dictionary. */
  public static final String CURRENT = KEY + ":current";

  /** Identifier to its last use, in seconds. */
  public static final String USED = KEY + ":used";

  /**
   * Clients by the end of their lease, in milliseconds; one key for each format that they can read.
   */
  private static final String READERS = KEY + ":readers:";

  private static final String RENEW =
      "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
          + "redis.call('ZADD', KEYS[tonumber(ARGV[2])], now + ARGV[3], ARGV[1]) "
          + "local counts = {} "
          + "for i = 1, 2 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) "
          + "counts[i] = redis.call('ZCARD', KEYS[i]) end "
          + "return counts";

  /** Uses the server's clock, which all clients share. */
  private static final String SET_USED =
      "local now = redis.call('TIME')[1] "
          + "for i = 1, #ARGV do redis.call('HSET', KEYS[1], ARGV[i], now) end "
          + "return #ARGV";

  private final Supplier<? extends CompletionStage<? extends StatefulConnection<?, ?>>> connect;
  private final Executor executor;
  private final Duration timeout;
  private @Nullable CompletableFuture<? extends StatefulConnection<?, ?>> connection;
  private boolean closed;

  /**
   * Creates a store without connecting it.
   *
   * @param connect opens a connection
   * @param executor runs on threads that drive no event loop
   * @param timeout the time-out of each command
   */
  public DictionaryStore(
      Supplier<? extends CompletionStage<? extends StatefulConnection<?, ?>>> connect,
      Executor executor,
      Duration timeout) {
    this.connect = connect;
    this.executor = executor;
    this.timeout = timeout;
  }

  /** The number of clients with a lease, by whether they can read dictionaries. */
  record Readers(long without, long with) {}

  /** Returns a stored dictionary; null if it does not exist. */
  CompletableFuture<byte @Nullable []> get(int id) {
    return send(CommandType.HGET, key(KEY).add(TrainedDictionary.name(id)))
        .thenApply(reply -> (byte[]) reply);
  }

  /** Stores a dictionary. Returns whether it was new. */
  CompletableFuture<Boolean> putIfAbsent(TrainedDictionary dictionary) {
    return send(CommandType.HSETNX, key(KEY).add(dictionary.name()).add(dictionary.stored()))
        .thenApply(reply -> reply instanceof Long stored && stored == 1);
  }

  /** Returns all identifiers. Fields with other names are not dictionaries. */
  CompletableFuture<List<Integer>> ids() {
    return send(CommandType.HKEYS, key(KEY))
        .thenApply(
            names ->
                ((List<?>) names)
                    .stream()
                        .map(DictionaryStore::text)
                        .filter(TrainedDictionary::isName)
                        .map(DictionaryStore::id)
                        .toList());
  }

  static int id(String name) {
    return Integer.parseUnsignedInt(name, 16);
  }

  /** Returns the current identifiers by prefix. */
  CompletableFuture<Map<String, Integer>> current() {
    return pairs(CURRENT)
        .thenApply(
            pairs -> {
              Map<String, Integer> ids = new LinkedHashMap<>();
              pairs.forEach(
                  (prefix, id) -> {
                    if (TrainedDictionary.isName(id)) {
                      ids.put(prefix, id(id));
                    }
                  });
              return ids;
            });
  }

  /** Makes all clients use a dictionary for its prefix. It must be stored. */
  CompletableFuture<?> setCurrent(TrainedDictionary dictionary) {
    return send(
        CommandType.HSET, key(CURRENT).add(bytes(dictionary.prefix())).add(dictionary.name()));
  }

  /** Returns the last uses by identifier. */
  CompletableFuture<Map<String, Instant>> used() {
    return pairs(USED)
        .thenApply(
            pairs -> {
              Map<String, Instant> used = new LinkedHashMap<>();
              pairs.forEach((id, at) -> used.put(id, Instant.ofEpochSecond(Long.parseLong(at))));
              return used;
            });
  }

  /** Reports that these are used now. */
  CompletableFuture<?> setUsed(Collection<TrainedDictionary> dictionaries) {
    CommandArgs<byte[], byte[]> args = script(SET_USED, USED);
    dictionaries.forEach(used -> args.add(used.name()));
    return dictionaries.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : send(CommandType.EVAL, args);
  }

  /**
   * Renews a client's lease, and counts all leases.
   *
   * @param format the highest format that it can read, 1 or 2
   */
  CompletableFuture<Readers> renew(String client, int format, Duration lease) {
    CommandArgs<byte[], byte[]> args =
        script(RENEW, READERS + 1, READERS + 2).add(client).add(format).add(lease.toMillis());
    return send(CommandType.EVAL, args)
        .thenApply(
            reply -> new Readers((Long) ((List<?>) reply).get(0), (Long) ((List<?>) reply).get(1)));
  }

  private CompletableFuture<Map<String, String>> pairs(String key) {
    return send(CommandType.HGETALL, key(key))
        .thenApply(
            reply -> {
              Map<String, String> pairs = new LinkedHashMap<>();
              List<?> list = (List<?>) reply;
              for (int i = 0; i + 1 < list.size(); i += 2) {
                pairs.put(text(list.get(i)), text(list.get(i + 1)));
              }
              return pairs;
            });
  }

  private static String text(@Nullable Object bytes) {
    return bytes instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static CommandArgs<byte[], byte[]> script(String text, String... keys) {
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(text).add(keys.length);
    for (String key : keys) {
      args.addKey(bytes(key));
    }
    return args;
  }

  private static CommandArgs<byte[], byte[]> key(String key) {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(bytes(key));
  }

  @SuppressWarnings({"unchecked", "rawtypes", "NullAway"}) // A reply can be nil.
  private CompletableFuture<Object> send(CommandType type, CommandArgs<byte[], byte[]> args) {
    CompletableFuture<Object> reply = new CompletableFuture<>();
    try {
      executor.execute(
          () ->
              connection()
                  .whenComplete(
                      (open, failure) -> {
                        if (failure != null) {
                          reply.completeExceptionally(failure);
                          return;
                        }
                        AsyncCommand<byte[], byte[], Object> command =
                            new AsyncCommand<>(new Command<>(type, new StoredReply(), args));
                        command.whenComplete(
                            (value, error) -> {
                              if (error == null) {
                                reply.complete(value);
                              } else {
                                reply.completeExceptionally(error);
                              }
                            });
                        executor.execute(() -> ((StatefulConnection) open).dispatch(command));
                      }));
    } catch (RejectedExecutionException closed) {
      reply.completeExceptionally(closed);
    }
    return reply.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Closes the connection, if there is one. No command is sent afterwards. */
  synchronized void close() {
    if (connection != null) {
      connection.thenAccept(StatefulConnection::closeAsync);
    }
    connection = CompletableFuture.failedFuture(new RedisException("The client is closed"));
    closed = true;
  }

  private synchronized CompletableFuture<? extends StatefulConnection<?, ?>> connection() {
    if (connection == null || (!closed && connection.isCompletedExceptionally())) {
      try {
        connection = connect.get().toCompletableFuture();
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    return connection;
  }
}
