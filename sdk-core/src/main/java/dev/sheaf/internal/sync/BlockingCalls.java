// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.SheafException;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.compression.CallerOutput;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.keys.KeyReads;
import dev.sheaf.internal.observe.Pauses;
import dev.sheaf.internal.pipeline.CommandHolder;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.internal.wait.AwaitedCommand;
import dev.sheaf.internal.wait.Deadlines;
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
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
 * Handles the blocking calls of one connection on the calling thread. Before a call, a loop may
 * have the value already, and the collected commands of a batch are sent, since the reply may
 * depend on them. While it waits, the thread can drive the event loop. Afterwards the call is
 * counted to detect loops.
 *
 * <p>Thread-safe.
 */
public final class BlockingCalls<K, V> {

  /** Stands for the GET of a template in loop detection. */
  private static final Method GET = lettuceGet();

  /**
   * The asynchronous form of each method of the cluster interface for which Lettuce may send
   * several commands; empty for all other methods.
   */
  private static final ConcurrentMap<Method, Optional<Method>> SEVERAL = new ConcurrentHashMap<>();

  private final StatefulConnection<?, ?> connection;
  private final Loops<K, V> loops;
  private final ThreadLocal<CallerThread> callers;
  private final @Nullable ThreadLocal<FollowedCalls<K>> learned;
  private final AtomicInteger blockedCallers;
  private final @Nullable LoopSampler sampler;

  /** The clock for loop detection. */
  private final LongSupplier nanoTime;

  /** Whether commands can be collected until their caller waits. */
  private final boolean mayDrive;

  /**
   * For one connection.
   *
   * @param blockedCallers counts the blocked callers of the client
   * @param sampler detects loops; null for none
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
    this.mayDrive = ConnectedServer.deadlines(connection) != null;
  }

  private static Method lettuceGet() {
    try {
      return RedisStringCommands.class.getMethod("get", Object.class);
    } catch (NoSuchMethodException e) {
      throw new LinkageError("This version of Lettuce has no GET", e);
    }
  }

  /**
   * Wraps Lettuce's blocking commands for {@code Sheaf.sync}, with all their interfaces.
   *
   * @param server the server of the same connection
   * @param compressed whether values may be compressed
   */
  @SuppressWarnings("unchecked") // A proxy of the interfaces of its argument.
  public RedisClusterCommands<K, V> over(
      ConnectedServer<K, V> server, RedisCodec<K, V> codec, boolean compressed) {
    TimeoutOptions timeouts = server.connection().getOptions().getTimeoutOptions();
    Deadlines deadlines = ConnectedServer.deadlines(connection);
    // If commands have different time-outs, only Lettuce knows them.
    boolean differ = timeouts.isTimeoutCommands() && !timeouts.isApplyConnectionTimeout();
    return (RedisClusterCommands<K, V>)
        Proxy.newProxyInstance(
            RedisClusterCommands.class.getClassLoader(),
            server.sync().getClass().getInterfaces(),
            new Face(
                server.sync(),
                () -> true,
                differ || deadlines == null
                    ? null
                    : new Direct<>(
                        server.connection(), server.async(), deadlines, codec, compressed)));
  }

  /**
   * Wraps blocking commands of another interface, in which {@code get} with one argument is GET.
   *
   * @param waits whether calls wait for their replies; while false, calls are passed on unchanged
   */
  public <T> T over(Class<T> type, T commands, BooleanSupplier waits) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, new Face(commands, waits, null)));
  }

  /**
   * A blocking GET of a template, which is what loops call most: without a proxy for each
   * connection and without reflection.
   *
   * @param drives whether the thread can drive the event loop while it waits
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
   * @param arguments of the method; null for a GET
   * @param key of a GET; null for all other calls
   * @param drives whether it sends commands and waits for their replies, so that the thread can
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

  /** The window to read ahead with a call that goes to the server; null for none. */
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

  /**
   * Sends a window and the call in one write; the window first, so that it arrives before the
   * reply.
   */
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

  /**
   * What sends commands that are awaited here, and not by Lettuce.
   *
   * @param compressed whether values may be compressed; the caller then decompresses them
   */
  private record Direct<K, V>(
      StatefulConnection<K, V> connection,
      RedisClusterAsyncCommands<K, V> async,
      Deadlines deadlines,
      RedisCodec<K, V> codec,
      boolean compressed) {}

  /** The invocation handler of wrapped commands. Thread-safe. */
  private final class Face implements InvocationHandler {

    private final Object commands;
    private final BooleanSupplier waits;

    /** Null if Lettuce sends and awaits all commands. */
    private final @Nullable Direct<K, V> direct;

    Face(Object commands, BooleanSupplier waits, @Nullable Direct<K, V> direct) {
      this.commands = commands;
      this.waits = waits;
      this.direct = direct;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getDeclaringClass() == Object.class) {
        return asObject(proxy, method, arguments);
      }
      if (!waits.getAsBoolean()) {
        return invoked(method, commands, arguments);
      }
      K key = keyOfGet(method, arguments);
      if (key != null) {
        return call(
            method,
            arguments,
            key,
            true,
            () -> direct == null ? invoked(method, commands, arguments) : get(direct, key));
      }
      if (!(connection instanceof StatefulRedisClusterConnection)) {
        return call(method, arguments, null, true, () -> invoked(method, commands, arguments));
      }
      Method several = several(method).orElse(null);
      // A few commands of a cluster return other objects.
      boolean awaited =
          direct != null
              && (several == null || RedisFuture.class.isAssignableFrom(several.getReturnType()));
      return call(
          method,
          arguments,
          null,
          awaited,
          () ->
              direct != null && several != null && awaited
                  ? inParts(direct, several, arguments)
                  : invoked(method, commands, arguments));
    }

    private static Optional<Method> several(Method method) {
      return SEVERAL.computeIfAbsent(
          method,
          any ->
              Arrays.stream(RedisAdvancedClusterAsyncCommandsImpl.class.getDeclaredMethods())
                  .filter(own -> !own.isBridge() && own.getName().equals(method.getName()))
                  .filter(own -> Arrays.equals(own.getParameterTypes(), method.getParameterTypes()))
                  .findFirst());
    }

    /** The key of a GET; null for all other calls. */
    @SuppressWarnings("unchecked") // The argument of get(K).
    private @Nullable K keyOfGet(Method method, Object @Nullable [] arguments) {
      return arguments != null && arguments.length == 1 && method.getName().equals("get")
          ? (K) arguments[0]
          : null;
    }

    private static @Nullable Object invoked(
        Method method, Object commands, Object @Nullable [] arguments) throws Exception {
      try {
        return method.invoke(commands, arguments);
      } catch (InvocationTargetException e) {
        throw rethrown(e.getTargetException());
      }
    }

    /**
     * A blocking call for which Lettuce may send several commands to a cluster, and then one to
     * each node. The future of all of them neither sends what is collected nor knows why it is
     * late, so both are done here.
     *
     * @param async the asynchronous form of its method
     */
    private @Nullable Object inParts(
        Direct<K, V> direct, Method async, Object @Nullable [] arguments) throws Exception {
      long timeoutNanos = connection.getTimeout().toNanos();
      List<CommandHolder.Tracked<?, ?, ?>> parts = WriteScope.trackParts();
      try {
        RedisFuture<?> replies =
            (RedisFuture<?>) Objects.requireNonNull(invoked(async, direct.async(), arguments));
        if (!isDoneWithin(timeoutNanos == 0 ? Long.MAX_VALUE / 2 : timeoutNanos, replies)) {
          CommandHolder.expireAll(parts, timeoutNanos);
        }
        // What is not done now fails in Lettuce's words. A future of Lettuce's lets its waiters go
        // only just after it is done, so one that is done gets time for that.
        return LettuceFutures.awaitOrCancel(
            replies,
            replies.toCompletableFuture().isDone() ? timeoutNanos : Math.min(timeoutNanos, 1),
            TimeUnit.NANOSECONDS);
      } finally {
        WriteScope.trackNoParts();
      }
    }

    private static boolean isDoneWithin(long timeoutNanos, RedisFuture<?> replies) {
      long deadlineNanos = System.nanoTime() + timeoutNanos;
      try {
        return WriteScope.await(replies.toCompletableFuture(), deadlineNanos)
            || replies.await(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)
            || replies.await(Pauses.graceNanos(deadlineNanos), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return true; // The caller finds the interrupt.
      }
    }

    /**
     * A blocking GET like Lettuce's, but without reflection, and with the value decompressed by the
     * waiting thread, to relieve the event loop.
     */
    private @Nullable V get(Direct<K, V> direct, K key) {
      boolean queued =
          connection instanceof StatefulRedisConnection<?, ?> server && server.isMulti();
      RedisCodec<K, V> codec = direct.codec();
      ValueOutput<K, V> output =
          direct.compressed() && !queued ? new CallerOutput<>(codec) : new ValueOutput<>(codec);
      AsyncCommand<K, V, V> value =
          AwaitedCommand.dispatch(
              RequestEncoder.newGet(key, output, codec), direct.connection(), direct.deadlines());
      if (queued) {
        // The value arrives with EXEC.
        return null;
      }
      V reply =
          LettuceFutures.awaitOrCancel(
              value, connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
      return output instanceof CallerOutput<K, V> undecoded ? undecoded.decoded(reply) : reply;
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
