// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.compression.CallerOutput;
import dev.sheaf.internal.connect.ConnectedServer;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisAdvancedClusterAsyncCommandsImpl;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The blocking commands as {@code Sheaf.sync} gives them: Lettuce's own, seen on the calling thread
 * before and after they block.
 *
 * <p>Before, because a loop may hold the value already, and because what the thread holds back in a
 * batch has to be sent first: it may be what the answer depends on. After, to find loops.
 *
 * <p>Thread-safe.
 */
public final class SyncCommands<K, V> implements InvocationHandler {

  /** Which methods of a cluster's commands send several. */
  private static final ConcurrentMap<Method, Boolean> SEVERAL = new ConcurrentHashMap<>();

  private final Object commands;
  private final BooleanSupplier waits;
  private final BlockingCalls<K, V> calls;

  /** What GET is sent by; null where it is called as all else. */
  private final @Nullable RedisClusterAsyncCommands<K, V> gets;

  /** How values are read where the caller decompresses them; null without compression. */
  private final @Nullable RedisCodec<K, V> decompressing;

  private SyncCommands(
      Object commands,
      BooleanSupplier waits,
      BlockingCalls<K, V> calls,
      @Nullable RedisClusterAsyncCommands<K, V> gets,
      @Nullable RedisCodec<K, V> decompressing) {
    this.commands = commands;
    this.waits = waits;
    this.calls = calls;
    this.gets = gets;
    this.decompressing = decompressing;
  }

  /**
   * The face of Lettuce's commands: an object of all the interfaces that they have.
   *
   * @param decompressing the client's codec if values may be compressed, else null
   */
  @SuppressWarnings("unchecked") // A proxy of the interfaces of its argument.
  public static <K, V> RedisClusterCommands<K, V> over(
      ConnectedServer<K, V> server,
      @Nullable RedisCodec<K, V> decompressing,
      BlockingCalls<K, V> calls) {
    TimeoutOptions timeouts = server.connection().getOptions().getTimeoutOptions();
    // Where the time-outs of commands differ, Lettuce alone knows them.
    boolean differ = timeouts.isTimeoutCommands() && !timeouts.isApplyConnectionTimeout();
    return (RedisClusterCommands<K, V>)
        Proxy.newProxyInstance(
            RedisClusterCommands.class.getClassLoader(),
            server.sync().getClass().getInterfaces(),
            new SyncCommands<>(
                server.sync(), () -> true, calls, differ ? null : server.async(), decompressing));
  }

  /**
   * The face of blocking commands of another interface, in which a {@code get} of one argument is
   * Lettuce's.
   *
   * @param waits whether calls wait for their replies; while they do not, they pass as they are
   */
  public static <T> T over(
      Class<T> type, T commands, BooleanSupplier waits, BlockingCalls<?, ?> calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            new SyncCommands<>(commands, waits, calls, null, null)));
  }

  @Override
  @SuppressWarnings("unchecked") // The argument of get(K).
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return asObject(proxy, method, arguments);
    }
    if (!waits.getAsBoolean()) {
      return callOnce(method, arguments, false);
    }
    boolean get = isGet(method, arguments);
    return calls.call(
        method,
        arguments,
        get && arguments != null ? (K) arguments[0] : null,
        get || isOneCommand(method),
        () -> callOnce(method, arguments, get));
  }

  /**
   * Whether a method sends one command and waits for its reply, and not, as some do on a cluster,
   * for those of several.
   */
  private boolean isOneCommand(Method method) {
    if (!(calls.connection() instanceof StatefulRedisClusterConnection)) {
      return true;
    }
    return gets != null && !SEVERAL.computeIfAbsent(method, SyncCommands::isOfSeveral);
  }

  private static boolean isOfSeveral(Method method) {
    for (Method own : RedisAdvancedClusterAsyncCommandsImpl.class.getDeclaredMethods()) {
      if (own.getName().equals(method.getName())
          && Arrays.equals(own.getParameterTypes(), method.getParameterTypes())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isGet(Method method, Object @Nullable [] arguments) {
    return arguments != null
        && arguments.length == 1
        && arguments[0] != null
        && method.getName().equals("get");
  }

  @SuppressWarnings("unchecked") // The argument of get(K).
  private @Nullable Object callOnce(Method method, Object @Nullable [] arguments, boolean get)
      throws Exception {
    if (get && gets != null && arguments != null) {
      return get(gets, (K) arguments[0]);
    }
    try {
      return method.invoke(commands, arguments);
    } catch (InvocationTargetException e) {
      throw rethrown(e.getTargetException());
    }
  }

  /**
   * A blocking GET as Lettuce does it, but without its reflection, and with the value decompressed
   * by the thread that waits for it: that one has nothing else to do, while the event loop has the
   * replies of all others.
   */
  private @Nullable V get(RedisClusterAsyncCommands<K, V> async, K key) {
    StatefulConnection<?, ?> connection = calls.connection();
    boolean queued = connection instanceof StatefulRedisConnection<?, ?> server && server.isMulti();
    RedisCodec<K, V> codec = decompressing;
    if (codec == null || queued) {
      RedisFuture<V> value = async.get(key);
      // In a transaction it comes with EXEC, which knows nothing of this thread.
      return queued ? null : await(connection, value);
    }
    CallerOutput<K, V> output = new CallerOutput<>(codec);
    return output.decoded(
        await(
            connection,
            async.dispatch(CommandType.GET, output, new CommandArgs<>(codec).addKey(key))));
  }

  private static <V> @Nullable V await(StatefulConnection<?, ?> connection, RedisFuture<V> value) {
    return LettuceFutures.awaitOrCancel(
        value, connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  private static Exception rethrown(Throwable thrown) {
    if (thrown instanceof Error e) {
      throw e;
    }
    return thrown instanceof Exception e ? e : new UndeclaredThrowableException(thrown);
  }

  private @Nullable Object asObject(Object proxy, Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> commands.toString();
    };
  }
}
