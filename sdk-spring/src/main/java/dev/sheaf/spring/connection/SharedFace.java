// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.lettuce.LettuceExceptionConverter;

/** Sheaf over the connection that the templates of one factory share. Thread-safe. */
final class SharedFace {

  private static final LettuceExceptionConverter TRANSLATION = new LettuceExceptionConverter();

  private final BatchingClient client;
  private final StatefulConnection<byte[], byte[]> connection;
  private final Sheaf<byte[], byte[]> sheaf;

  SharedFace(BatchingClient client, StatefulConnection<byte[], byte[]> connection) {
    this.client = client;
    this.connection = connection;
    this.sheaf = client.over(connection, ByteArrayCodec.INSTANCE);
  }

  Sheaf<byte[], byte[]> sheaf() {
    return sheaf;
  }

  StatefulConnection<byte[], byte[]> connection() {
    return connection;
  }

  @SuppressWarnings("ReferenceEquality") // Identity: another connection has other sockets.
  boolean isOver(StatefulConnection<byte[], byte[]> other) {
    return connection == other;
  }

  /**
   * Returns Spring commands that handle the loops of the calling thread.
   *
   * @param waits whether they wait for replies now
   */
  <T> T seeing(Class<T> type, T commands, BooleanSupplier waits) {
    T seeing = client.blocking(sheaf, type, commands, waits);
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> translated(seeing, method, arguments)));
  }

  /**
   * Throws what Spring's own commands would throw, also where the client answered in their place.
   */
  private static @Nullable Object translated(
      Object commands, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(commands, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException() instanceof RuntimeException failure
          ? translated(failure)
          : e.getTargetException();
    }
  }

  private static RuntimeException translated(RuntimeException failure) {
    if (failure instanceof RedisException) {
      DataAccessException translated = TRANSLATION.convert(failure);
      return translated == null ? failure : translated;
    }
    return failure;
  }

  /** Runs a GET of Spring that handles the loops of the calling thread, and waits for its reply. */
  byte @Nullable [] get(byte[] key, RedisStringCommands commands) {
    try {
      return client.blockingGet(sheaf, key, () -> commands.get(key));
    } catch (RedisException e) {
      throw translated(e);
    }
  }

  /** Returns whether loops are learned, so that the keys of pages matter. */
  boolean learns() {
    return client.learnsLoops();
  }

  /** Called before the current thread reads what has these ids. */
  void expect(String source, Collection<?> ids) {
    client.expect(sheaf, source, ids);
  }

  void close() {
    sheaf.close();
  }
}
