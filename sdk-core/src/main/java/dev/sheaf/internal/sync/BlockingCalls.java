package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.api.StatefulConnection;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What happens on the calling thread around a blocking call: before it, a loop may hold the value
 * already; while it waits, the thread may drive the event loop; after it, the call is counted to
 * find loops.
 *
 * <p>Thread-safe.
 */
final class BlockingCalls<K, V> {

  private final StatefulConnection<?, ?> connection;
  private final KeyLoops<K, V> loops;
  private final @Nullable LoopSampler sampler;

  BlockingCalls(
      StatefulConnection<?, ?> connection, KeyLoops<K, V> loops, @Nullable LoopSampler sampler) {
    this.connection = connection;
    this.loops = loops;
    this.sampler = sampler;
  }

  /**
   * Makes a call, or answers it from a window.
   *
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
    CallerThread caller = loops.caller();
    if (key != null && !caller.loops().isEmpty()) {
      Result<?> ahead = caller.loops().take(key);
      if (ahead != null) {
        return ahead.orNull();
      }
      loops.overtake(key);
    }
    if (sampler == null || caller.isMapping()) {
      return send(drives, call);
    }
    long startNanos = sampler.startNanos(caller.runs());
    Object result = send(drives, call);
    sampler.called(caller.runs(), method, arguments, startNanos);
    return result;
  }

  private @Nullable Object send(boolean drives, Callable<@Nullable Object> call) throws Exception {
    return drives
        ? WriteScope.call(loops.callers(), connection.getTimeout(), call)
        : WriteScope.pass(call);
  }
}
