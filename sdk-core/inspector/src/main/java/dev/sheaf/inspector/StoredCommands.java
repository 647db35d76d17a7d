// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Commands that return replies in their stored form, sent on a client's own connection. */
final class StoredCommands {

  private final StatefulConnection<?, ?> connection;

  StoredCommands(StatefulConnection<?, ?> connection) {
    this.connection = connection;
  }

  static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  static CommandArgs<byte[], byte[]> key(byte[] key) {
    return args().addKey(key);
  }

  /** Sends a command. The connection has the user's codec; these commands have their own. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  Future<Object> send(CommandType type, CommandArgs<byte[], byte[]> args) {
    AsyncCommand<byte[], byte[], Object> command =
        new AsyncCommand<>(new Command<>(type, new StoredReply(), args));
    ((StatefulConnection) connection).dispatch(command);
    return command;
  }

  /**
   * Sends a command and waits.
   *
   * @throws RedisException the server's error, or a time-out
   */
  @Nullable Object call(CommandType type, CommandArgs<byte[], byte[]> args) {
    return await(send(type, args));
  }

  /** Reads a stored dictionary and waits for it; null if it does not exist. */
  CompletableFuture<byte @Nullable []> dictionary(int id) {
    Object reply =
        call(
            CommandType.HGET,
            key(DictionaryStore.KEY.getBytes(StandardCharsets.UTF_8))
                .add(TrainedDictionary.name(id)));
    return CompletableFuture.completedFuture((byte[]) reply);
  }

  /** As {@link #call}, but returns null if the server refuses the command. */
  @Nullable Object callIfAllowed(CommandType type, CommandArgs<byte[], byte[]> args) {
    try {
      return call(type, args);
    } catch (RedisCommandExecutionException refused) {
      return null;
    }
  }

  /**
   * Waits for a reply.
   *
   * @throws RedisException the server's error, or a time-out
   */
  @Nullable Object await(Future<Object> reply) {
    try {
      return reply.get(connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      reply.cancel(true);
      throw new RedisCommandTimeoutException(
          "No answer within " + connection.getTimeout().toMillis() + " ms");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RedisException redis) {
        throw redis;
      }
      throw new RedisException(e.getCause());
    }
  }
}
