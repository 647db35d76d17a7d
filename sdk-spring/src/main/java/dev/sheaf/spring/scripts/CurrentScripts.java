// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.scripts;

import dev.sheaf.Sheaf;
import dev.sheaf.scripts.ScriptException;
import dev.sheaf.scripts.Scripts;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ReflectionUtils;

/**
 * An interface of scripts that survives a restart of the connection factory: it is bound again to
 * each client. Thread-safe.
 */
final class CurrentScripts<T> implements InvocationHandler {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  private final Class<T> type;
  private final Sheaf<?, ?> sheaf;
  private volatile @Nullable Bound<T> bound;

  private record Bound<T>(Scripts<?, ?> scripts, T object) {}

  private CurrentScripts(Class<T> type, Sheaf<?, ?> sheaf) {
    this.type = type;
    this.sheaf = sheaf;
  }

  /**
   * Creates an implementation of the interface, and binds it now if Redis is reachable.
   *
   * @throws ScriptException if a script is declared wrongly or cannot be compiled
   */
  static <T> T of(Class<T> type, Sheaf<?, ?> sheaf) {
    CurrentScripts<T> scripts = new CurrentScripts<>(type, sheaf);
    try {
      scripts.bind();
    } catch (ScriptException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.warn("The scripts of " + type.getName() + " are checked with their first call: " + e);
    }
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, scripts));
  }

  @SuppressWarnings("ReferenceEquality") // Identity: the current client or an earlier one.
  private T bind() {
    Scripts<?, ?> now = sheaf.scripts();
    Bound<T> known = bound;
    if (known == null || known.scripts() != now) {
      known = new Bound<>(now, now.bind(type));
      bound = known;
    }
    return known.object();
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return switch (method.getName()) {
        case "equals" -> arguments != null && proxy == arguments[0];
        case "hashCode" -> System.identityHashCode(proxy);
        default -> "Scripts of " + type.getName();
      };
    }
    T object = bind();
    ReflectionUtils.makeAccessible(method); // The interface can be package-private.
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
