// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScriptException;
import dev.sheaf.scripts.Scripts;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates implementations of interfaces whose methods are scripts. */
final class ScriptProxy implements InvocationHandler {

  private final Class<?> type;
  private final Map<Method, Bound> methods = new HashMap<>();

  private record Bound(DeclaredMethod declared, RegisteredScript<Object, ?> script) {}

  private ScriptProxy(Class<?> type) {
    this.type = type;
  }

  /**
   * Validates all methods, loads all scripts, and creates the object.
   *
   * @param keyType the client's type of keys; null if unknown
   */
  static <I, K> I of(Class<I> type, @Nullable Class<?> keyType, Scripts<K, ?> scripts) {
    if (!type.isInterface()) {
      throw new ScriptException(
          type.getName() + " is not an interface; scripts are bound to interfaces");
    }
    ScriptProxy proxy = new ScriptProxy(type);
    Map<Method, DeclaredMethod> declared = new HashMap<>();
    for (Method method : type.getMethods()) {
      if (!method.isDefault() && !Modifier.isStatic(method.getModifiers())) {
        declared.put(method, DeclaredMethod.of(method, keyType));
      }
    }
    declared.forEach((method, read) -> proxy.methods.put(method, bind(read, method, scripts)));
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, proxy));
  }

  /** Keys have the client's type as far as {@link DeclaredMethod} could check. */
  @SuppressWarnings("unchecked")
  private static <K> Bound bind(DeclaredMethod declared, Method method, Scripts<K, ?> scripts) {
    try {
      return new Bound(declared, (RegisteredScript<Object, ?>) scripts.register(declared.script()));
    } catch (ScriptException e) {
      throw new ScriptException(DeclaredMethod.describe(method) + ": " + e.getMessage(), e);
    }
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
    if (method.isDefault()) {
      return invokeDefault(proxy, method, arguments);
    }
    Bound bound = Objects.requireNonNull(methods.get(method));
    return bound.declared().call(bound.script(), arguments);
  }

  /** Calls a default method. Its interface need not be public. */
  private static @Nullable Object invokeDefault(
      Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
    Class<?> owner = method.getDeclaringClass();
    return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
        .unreflectSpecial(method, owner)
        .bindTo(proxy)
        .invokeWithArguments(arguments == null ? new Object[0] : arguments);
  }
}
