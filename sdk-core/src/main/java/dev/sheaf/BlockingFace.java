package dev.sheaf;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * The blocking commands as {@link Sheaf#sync} gives them: Lettuce's own, seen on the calling thread
 * before and after they block.
 *
 * <p>Before, because a loop may hold the value already, and because what the thread holds back in a
 * batch has to be sent first: it may be what the answer depends on. After, to find loops.
 *
 * <p>Thread-safe.
 */
final class BlockingFace<K, V> implements InvocationHandler {

  private final RedisClusterCommands<K, V> lettuce;
  private final KeyLoops<K, V> loops;
  private final @Nullable LoopDetector detector;

  private BlockingFace(
      RedisClusterCommands<K, V> lettuce, KeyLoops<K, V> loops, @Nullable LoopDetector detector) {
    this.lettuce = lettuce;
    this.loops = loops;
    this.detector = detector;
  }

  /** The face of Lettuce's commands: an object of all the interfaces that they have. */
  @SuppressWarnings("unchecked") // A proxy of the interfaces of its argument.
  static <K, V> RedisClusterCommands<K, V> over(
      RedisClusterCommands<K, V> lettuce, KeyLoops<K, V> loops, @Nullable LoopDetector detector) {
    return (RedisClusterCommands<K, V>)
        Proxy.newProxyInstance(
            RedisClusterCommands.class.getClassLoader(),
            lettuce.getClass().getInterfaces(),
            new BlockingFace<>(lettuce, loops, detector));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return asObject(proxy, method, arguments);
    }
    CallerThread caller = loops.caller();
    if (!caller.loops().isEmpty() && arguments != null && isGet(method, arguments)) {
      Object key = arguments[0];
      Result<?> value = caller.loops().take(key);
      if (value != null) {
        return value.orNull();
      }
      overtake(key);
    }
    if (Corked.current() != null) {
      return uncorked(method, arguments);
    }
    if (detector == null || caller.isMapping()) {
      return call(method, arguments);
    }
    long startNanos = System.nanoTime();
    Object result = call(method, arguments);
    detector.called(caller.runs(), method, arguments, startNanos, System.nanoTime());
    return result;
  }

  private static boolean isGet(Method method, Object[] arguments) {
    return arguments.length == 1 && arguments[0] != null && method.getName().equals("get");
  }

  @SuppressWarnings("unchecked") // It is the argument of get(K).
  private void overtake(Object key) {
    loops.overtake((K) key);
  }

  private @Nullable Object uncorked(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return Corked.releasedDuring(() -> method.invoke(lettuce, arguments));
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(lettuce, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private @Nullable Object asObject(Object proxy, Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> lettuce.toString();
    };
  }
}
