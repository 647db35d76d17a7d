package dev.sheaf.internal.sync;

import dev.sheaf.SheafException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.sync.RedisStringCommands;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The blocking GET of a template: without a proxy for each of its connections and without
 * reflection, since it is what loops are made of.
 *
 * <p>Thread-safe.
 */
public final class TemplateGet<K, V> {

  /** What the loop sampler calls it. */
  private static final Method METHOD = get();

  private final BlockingCalls<K, V> calls;

  public TemplateGet(
      StatefulConnection<?, ?> connection,
      KeyLoops<K, V> loops,
      @Nullable LoopSampler sampler,
      @Nullable LearnedLoops<K, V> learned) {
    this.calls = new BlockingCalls<>(connection, loops, sampler, learned);
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
    try {
      return (V) calls.call(METHOD, null, key, true, send::get);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new SheafException("The GET failed: " + e, e); // A supplier throws nothing checked.
    }
  }
}
