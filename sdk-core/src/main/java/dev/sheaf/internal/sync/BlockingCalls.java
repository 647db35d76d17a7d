// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.SheafException;
import dev.sheaf.internal.compression.CallerOutput;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.keys.KeyReads;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisStringCommands;
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
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The blocking calls of one connection, and what happens around each on the calling thread. Before
 * it, a loop may hold the value already, and what the thread holds back in a batch is sent, as the
 * answer may depend on it. While it waits, the thread may drive the event loop. After it, the call
 * is counted to find loops.
 *
 * <p>Thread-safe.
 */
public final class BlockingCalls<K, V> {

  /** The GET of a template, as loops are found by. */
  private static final Method GET = lettuceGet();

  /** Which methods of a cluster's commands send several. */
  private static final ConcurrentMap<Method, Boolean> SEVERAL = new ConcurrentHashMap<>();

  private final StatefulConnection<?, ?> connection;
  private final Loops<K, V> loops;
  private final ThreadLocal<CallerThread> callers;
  private final @Nullable ThreadLocal<FollowedCalls<K>> learned;
  private final AtomicInteger blockedCallers;
  private final @Nullable LoopSampler sampler;

  /** What calls are timed by to find loops. */
  private final LongSupplier nanoTime;

  /** Whether commands may be held back until their caller waits. */
  private final boolean mayDrive;

  /**
   * Sees the blocking calls of one connection.
   *
   * @param blockedCallers counts how many of the client's callers block for replies
   * @param sampler finds loops; null if nothing does
   */
  public BlockingCalls(
      StatefulConnection<?, ?> connection,
      Loops<K, V> loops,
      AtomicInteger blockedCallers,
      @Nullable LoopSampler sampler) {
    this.connection = connection;
    this.loops = loops;
    this.callers = loops.callers();
    this.learned = loops.followed();
    this.blockedCallers = blockedCallers;
    this.sampler = sampler;
    this.nanoTime = sampler == null ? System::nanoTime : sampler.nanoTime();
    this.mayDrive = ConnectedServer.isOwn(connection);
  }

  private static Method lettuceGet() {
    try {
      return RedisStringCommands.class.getMethod("get", Object.class);
    } catch (NoSuchMethodException e) {
      throw new LinkageError("This version of Lettuce has no GET", e);
    }
  }

  /**
   * The face of Lettuce's commands, as {@code Sheaf.sync} gives it: an object of all the interfaces
   * that they have.
   *
   * @param server of the same connection
   * @param decompressing the client's codec if values may be compressed, else null
   */
  @SuppressWarnings("unchecked") // A proxy of the interfaces of its argument.
  public RedisClusterCommands<K, V> over(
      ConnectedServer<K, V> server, @Nullable RedisCodec<K, V> decompressing) {
    TimeoutOptions timeouts = server.connection().getOptions().getTimeoutOptions();
    // Where the time-outs of commands differ, Lettuce alone knows them.
    boolean differ = timeouts.isTimeoutCommands() && !timeouts.isApplyConnectionTimeout();
    return (RedisClusterCommands<K, V>)
        Proxy.newProxyInstance(
            RedisClusterCommands.class.getClassLoader(),
            server.sync().getClass().getInterfaces(),
            new Face(server.sync(), () -> true, differ ? null : server.async(), decompressing));
  }

  /**
   * The face of blocking commands of another interface, in which a {@code get} of one argument is
   * Lettuce's.
   *
   * @param waits whether calls wait for their replies; while they do not, they pass as they are
   */
  public <T> T over(Class<T> type, T commands, BooleanSupplier waits) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, new Face(commands, waits, null, null)));
  }

  /**
   * The blocking GET of a template: without a proxy for each of its connections and without
   * reflection, since it is what loops are made of.
   *
   * @param drives whether the thread may drive the event loop while it waits
   * @param send sends the command and waits
   */
  @SuppressWarnings("unchecked") // The windows of loops hold values of the client's type.
  public @Nullable V get(K key, boolean drives, Supplier<? extends @Nullable V> send) {
    try {
      return (V) call(GET, null, key, drives, send::get);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new SheafException("The GET failed: " + e, e); // A supplier throws nothing checked.
    }
  }

  /**
   * Makes a call, or answers it from a window.
   *
   * @param arguments of the method; null where it is a GET
   * @param key of a GET; null for all else
   * @param drives whether it sends one command and waits for its reply, so that the thread may
   *     drive the event loop meanwhile
   */
  private @Nullable Object call(
      Method method,
      Object @Nullable [] arguments,
      @Nullable K key,
      boolean drives,
      Callable<@Nullable Object> call)
      throws Exception {
    CallerThread caller = callers.get();
    FollowedCalls<K> followed = learned == null || caller.isMapping() ? null : learned.get();
    if (followed == null && !caller.isInLoop()) {
      return send(caller, method, arguments, drives, call);
    }
    AheadRead.Seen seen = AheadRead.Seen.of(method);
    Object first = key == null && arguments != null && arguments.length > 0 ? arguments[0] : key;
    Object read = AheadRead.keyOf(first);
    Object rest = arguments != null && arguments.length > 1 ? arguments[1] : null;
    Result<?> ahead =
        seen.ahead() == null || read == null ? null : caller.take(seen.ahead(), read, rest);
    Object reply;
    if (ahead != null) {
      reply = AheadRead.asOf(method, ahead.orNull());
    } else {
      LoopWindow<K> window = window(caller, followed, seen, read, rest);
      reply = send(caller, method, arguments, drives, window == null ? call : with(window, call));
    }
    if (followed != null) {
      followed.replied(seen.command(), reply);
    }
    return reply;
  }

  /** What is to be read ahead with a call that the server is about to be asked; null if nothing. */
  @SuppressWarnings("unchecked") // The loops of a thread have keys of the client's type.
  private @Nullable LoopWindow<K> window(
      CallerThread caller,
      @Nullable FollowedCalls<K> followed,
      AheadRead.Seen seen,
      @Nullable Object key,
      @Nullable Object rest) {
    AheadRead read = seen.ahead();
    if (caller.isInLoop() && seen.tellsMore()) {
      int cell = seen.keyed() && key != null ? loops.cellOf(key) : KeyReads.NO_CELL;
      if (cell == KeyReads.NO_CELL) {
        caller.dropLearned();
      } else {
        caller.forget(read, cell);
      }
    }
    if (read == null || key == null) {
      return null;
    }
    Loop<?> loop = caller.declares(read, key, rest);
    if (loop == null && followed != null) {
      loop = followed.asks(read, key, rest);
    }
    return loop == null ? null : loops.open((Loop<K>) loop);
  }

  /** In one write: what is read ahead first, so that it is there when the call is answered. */
  private static Callable<@Nullable Object> with(
      LoopWindow<?> window, Callable<@Nullable Object> call) {
    return () -> {
      window.request();
      try {
        return call.call();
      } finally {
        window.answered();
      }
    };
  }

  private @Nullable Object send(
      CallerThread caller,
      Method method,
      Object @Nullable [] arguments,
      boolean drives,
      Callable<@Nullable Object> call)
      throws Exception {
    if (sampler == null || caller.isMapping()) {
      return send(drives, call);
    }
    long startNanos = nanoTime.getAsLong();
    Object result = send(drives, call);
    CallerThread.Run run = caller.count(method, startNanos, nanoTime.getAsLong());
    if (run.isOfInterest()) {
      sampler.called(caller, run, method, arguments);
    }
    return result;
  }

  private @Nullable Object send(boolean drives, Callable<@Nullable Object> call) throws Exception {
    return drives && mayDrive
        ? WriteScope.call(blockedCallers, connection.getTimeout(), call)
        : WriteScope.pass(call);
  }

  /** Blocking commands, of which each call is seen on the calling thread. Thread-safe. */
  private final class Face implements InvocationHandler {

    private final Object commands;
    private final BooleanSupplier waits;

    /** What GET is sent by; null where it is called as all else. */
    private final @Nullable RedisClusterAsyncCommands<K, V> gets;

    /** How values are read where the caller decompresses them; null without compression. */
    private final @Nullable RedisCodec<K, V> decompressing;

    Face(
        Object commands,
        BooleanSupplier waits,
        @Nullable RedisClusterAsyncCommands<K, V> gets,
        @Nullable RedisCodec<K, V> decompressing) {
      this.commands = commands;
      this.waits = waits;
      this.gets = gets;
      this.decompressing = decompressing;
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
      return call(
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
      return gets != null && !SEVERAL.computeIfAbsent(method, Face::isOfSeveral);
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
     * A blocking GET as Lettuce does it, but without its reflection, and with the value
     * decompressed by the thread that waits for it: that one has nothing else to do, while the
     * event loop has the replies of all others.
     */
    private @Nullable V get(RedisClusterAsyncCommands<K, V> async, K key) {
      boolean queued =
          connection instanceof StatefulRedisConnection<?, ?> server && server.isMulti();
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

    private static <V> @Nullable V await(
        StatefulConnection<?, ?> connection, RedisFuture<V> value) {
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
}
