// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.SheafException;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.sync.RedisStringCommands;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happens on the calling thread around a blocking call: before it, a loop may hold the value
 * already; while it waits, the thread may drive the event loop; after it, the call is counted to
 * find loops.
 *
 * <p>Thread-safe.
 */
public final class BlockingCalls<K, V> {

  /** The GET of a template, as loops are found by. */
  private static final Method GET = lettuceGet();

  private final StatefulConnection<?, ?> connection;
  private final KeyLoops<K, V> loops;
  private final ThreadLocal<CallerThread> threads;
  private final AtomicInteger blockedCallers;
  private final @Nullable LoopSampler sampler;

  /** What calls are timed by to find loops. */
  private final LongSupplier nanoTime;

  /** Null unless loops are learned. */
  private final @Nullable LearnedLoops<K, V> learned;

  /** Whether commands may be held back until their caller waits. */
  private final boolean mayDrive;

  /**
   * Sees the blocking calls of one connection.
   *
   * @param sampler finds loops; null if nothing does
   * @param learned what is learned of loops; null if nothing is
   */
  public BlockingCalls(
      StatefulConnection<?, ?> connection,
      KeyLoops<K, V> loops,
      @Nullable LoopSampler sampler,
      @Nullable LearnedLoops<K, V> learned) {
    this.connection = connection;
    this.loops = loops;
    this.threads = loops.threads();
    this.blockedCallers = loops.blockedCallers();
    this.sampler = sampler;
    this.nanoTime = sampler == null ? System::nanoTime : sampler.nanoTime();
    this.learned = learned;
    this.mayDrive = ConnectedServer.isOwn(connection);
  }

  private static Method lettuceGet() {
    try {
      return RedisStringCommands.class.getMethod("get", Object.class);
    } catch (NoSuchMethodException e) {
      throw new LinkageError("This version of Lettuce has no GET", e);
    }
  }

  StatefulConnection<?, ?> connection() {
    return connection;
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
  @Nullable Object call(
      Method method,
      Object @Nullable [] arguments,
      @Nullable K key,
      boolean drives,
      Callable<@Nullable Object> call)
      throws Exception {
    CallerThread caller = threads.get();
    if (key != null && caller.isInLoop()) {
      Result<?> ahead = caller.take(key);
      if (ahead != null) {
        if (learned != null) {
          learned.ofThread().forget(key);
        }
        return ahead.orNull();
      }
      loops.overtake(key);
    }
    return learned == null || caller.isMapping()
        ? send(caller, method, arguments, drives, call)
        : follow(learned.ofThread(), caller, method, arguments, key, drives, call);
  }

  @SuppressWarnings("unchecked") // What is read ahead has a key of the client's type.
  private @Nullable Object follow(
      FollowedCalls<K> followed,
      CallerThread caller,
      Method method,
      Object @Nullable [] arguments,
      @Nullable K getKey,
      boolean drives,
      Callable<@Nullable Object> call)
      throws Exception {
    SeenCall seen = SeenCall.of(method);
    AheadRead read = seen.ahead();
    Object key =
        getKey == null && arguments != null && arguments.length > 0
            ? AheadRead.keyOf(arguments[0])
            : getKey;
    if (read == null || key == null) {
      followed.pass(seen, arguments);
      Object reply = send(caller, method, arguments, drives, call);
      followed.replied(seen.command(), reply);
      return reply;
    }
    Object rest = arguments != null && arguments.length > 1 ? arguments[1] : null;
    Result<?> ahead = followed.take(read, (K) key, rest);
    Object reply;
    if (ahead == null) {
      LearnedWindow<K> window = followed.asks(read, (K) key, rest);
      reply = send(caller, method, arguments, drives, window == null ? call : with(window, call));
    } else {
      reply = AheadRead.asOf(method, ahead.orNull());
    }
    followed.replied(seen.command(), reply);
    return reply;
  }

  /** In one write: what is read ahead first, so that it is there when the call is answered. */
  private static Callable<@Nullable Object> with(
      LearnedWindow<?> window, Callable<@Nullable Object> call) {
    return () -> {
      window.request();
      return call.call();
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
    CallRuns runs = caller.runs();
    long startNanos = nanoTime.getAsLong();
    Object result = send(drives, call);
    CallRuns.Run run = runs.count(method, startNanos, nanoTime.getAsLong());
    if (run.isOfInterest()) {
      sampler.called(runs, run, method, arguments);
    }
    return result;
  }

  private @Nullable Object send(boolean drives, Callable<@Nullable Object> call) throws Exception {
    return drives && mayDrive
        ? WriteScope.call(blockedCallers, connection.getTimeout(), call)
        : WriteScope.pass(call);
  }
}
