package dev.sheaf.spring;

import dev.sheaf.Sheaf;
import io.lettuce.core.codec.RedisCodec;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A Sheaf that outlives the stop and the start of its connection factory: each call goes to the
 * client of now. It connects with the first call. Thread-safe.
 */
final class CurrentSheaf implements InvocationHandler {

  private final RedisConnectionFactory factory;
  private final RedisCodec<?, ?> codec;

  private CurrentSheaf(RedisConnectionFactory factory, RedisCodec<?, ?> codec) {
    this.factory = factory;
    this.codec = codec;
  }

  @SuppressWarnings("unchecked") // The codec says which types it takes.
  static <K, V> Sheaf<K, V> of(RedisConnectionFactory factory, RedisCodec<K, V> codec) {
    return (Sheaf<K, V>)
        Proxy.newProxyInstance(
            Sheaf.class.getClassLoader(),
            new Class<?>[] {Sheaf.class},
            new CurrentSheaf(factory, codec));
  }

  /**
   * The factory as one that batches.
   *
   * @throws IllegalStateException if it does not; the message says what to do
   */
  static BatchingConnectionFactory batching(@Nullable RedisConnectionFactory factory) {
    if (factory instanceof BatchingConnectionFactory batching) {
      return batching;
    }
    throw new IllegalStateException(
        "Sheaf needs a connection factory of Lettuce that Spring started, but this is "
            + (factory == null ? "none" : "a " + factory.getClass().getName())
            + "; the log says why it was left as it is");
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    switch (method.getName()) {
      case "close":
        return null; // The connection factory closes it.
      case "equals":
        return arguments != null && proxy == arguments[0];
      case "hashCode":
        return System.identityHashCode(proxy);
      case "toString":
        return "Sheaf of " + factory;
      default:
        return call(method, arguments);
    }
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(batching(factory).own(codec), arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
