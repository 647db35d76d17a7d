package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.SheafException;
import dev.sheaf.internal.engine.Corked;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.sync.RedisStringCommands;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A blocking GET of another interface, seen as {@link SyncCommands} sees those of its own: without
 * an object for each connection and without reflection, since it is what loops are made of.
 *
 * <p>Thread-safe.
 */
public final class ForeignGet<K, V> {

  /** What the loop detector calls it. */
  private static final Method METHOD = get();

  private final StatefulConnection<?, ?> connection;
  private final KeyLoops<K, V> loops;
  private final @Nullable LoopSampler detector;

  public ForeignGet(
      StatefulConnection<?, ?> connection, KeyLoops<K, V> loops, @Nullable LoopSampler detector) {
    this.connection = connection;
    this.loops = loops;
    this.detector = detector;
  }

  private static Method get() {
    try {
      return RedisStringCommands.class.getMethod("get", Object.class);
    } catch (NoSuchMethodException e) {
      throw new LinkageError("This version of Lettuce has no GET", e);
    }
  }

  /**
   * The value of a key: from the window of a loop, or as {@code send} gives it.
   *
   * @param send sends the command and waits
   */
  @SuppressWarnings("unchecked") // The windows of loops hold values of the client's type.
  public @Nullable V get(K key, Supplier<? extends @Nullable V> send) {
    CallerThread caller = loops.caller();
    if (!caller.loops().isEmpty()) {
      Result<?> ahead = caller.loops().take(key);
      if (ahead != null) {
        return (V) ahead.orNull();
      }
      loops.overtake(key);
    }
    if (detector == null || caller.isMapping()) {
      return call(send);
    }
    long startNanos = caller.runs().startNanos();
    V value = call(send);
    detector.called(caller.runs(), METHOD, null, startNanos);
    return value;
  }

  /** Calls; the calling thread may drive the event loop while it waits. */
  private @Nullable V call(Supplier<? extends @Nullable V> send) {
    return unchecked(() -> Corked.call(loops.callers(), connection.getTimeout(), send::get));
  }

  /** What calls a supplier alone throws nothing checked. */
  private static <T extends @Nullable Object> T unchecked(Callable<T> call) {
    try {
      return call.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new SheafException("The GET failed: " + e, e);
    }
  }
}
