package dev.sheaf.internal.sync;

import dev.sheaf.internal.connect.ConnectedServer;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisAdvancedClusterAsyncCommandsImpl;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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

  private static final BooleanSupplier ALWAYS = () -> true;

  /** Which methods of a cluster's commands send several. */
  private static final ConcurrentMap<Method, Boolean> SEVERAL = new ConcurrentHashMap<>();

  private final Object commands;
  private final BooleanSupplier waits;
  private final StatefulConnection<K, V> connection;
  private final @Nullable BlockingGet<K, V> blockingGet;
  private final BlockingCalls<K, V> calls;

  private SyncCommands(
      Object commands,
      BooleanSupplier waits,
      StatefulConnection<K, V> connection,
      @Nullable BlockingGet<K, V> blockingGet,
      KeyLoops<K, V> loops,
      @Nullable LoopSampler sampler,
      @Nullable LearnedLoops<K, V> learned) {
    this.commands = commands;
    this.waits = waits;
    this.connection = connection;
    this.blockingGet = blockingGet;
    this.calls = new BlockingCalls<>(connection, loops, sampler, learned);
  }

  /** The face of Lettuce's commands: an object of all the interfaces that they have. */
  @SuppressWarnings("unchecked") // A proxy of the interfaces of its argument.
  public static <K, V> RedisClusterCommands<K, V> over(
      ConnectedServer<K, V> server,
      @Nullable BlockingGet<K, V> blockingGet,
      KeyLoops<K, V> loops,
      @Nullable LoopSampler sampler,
      @Nullable LearnedLoops<K, V> learned) {
    return (RedisClusterCommands<K, V>)
        Proxy.newProxyInstance(
            RedisClusterCommands.class.getClassLoader(),
            server.sync().getClass().getInterfaces(),
            new SyncCommands<>(
                server.sync(), ALWAYS, server.connection(), blockingGet, loops, sampler, learned));
  }

  /**
   * The face of blocking commands of another interface, in which a {@code get} of one argument is
   * Lettuce's.
   *
   * @param waits whether calls wait for their replies; while they do not, they pass as they are
   */
  public static <T> T over(
      Class<T> type,
      T commands,
      BooleanSupplier waits,
      StatefulConnection<?, ?> connection,
      KeyLoops<?, ?> loops,
      @Nullable LoopSampler sampler,
      @Nullable LearnedLoops<?, ?> learned) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            foreign(commands, waits, connection, loops, sampler, learned)));
  }

  @SuppressWarnings("unchecked") // The loops are those of the connection.
  private static <K, V> SyncCommands<K, V> foreign(
      Object commands,
      BooleanSupplier waits,
      StatefulConnection<?, ?> connection,
      KeyLoops<K, V> loops,
      @Nullable LoopSampler sampler,
      @Nullable LearnedLoops<?, ?> learned) {
    return new SyncCommands<>(
        commands,
        waits,
        (StatefulConnection<K, V>) connection,
        null,
        loops,
        sampler,
        (LearnedLoops<K, V>) learned);
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
    if (!(connection instanceof StatefulRedisClusterConnection)) {
      return true;
    }
    return blockingGet != null && !SEVERAL.computeIfAbsent(method, SyncCommands::isOfSeveral);
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
    if (get && blockingGet != null && arguments != null) {
      return blockingGet.get((K) arguments[0]);
    }
    try {
      return method.invoke(commands, arguments);
    } catch (InvocationTargetException e) {
      throw rethrown(e.getTargetException());
    }
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
