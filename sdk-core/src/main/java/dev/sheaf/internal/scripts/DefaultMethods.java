// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Calls the body that an interface gives a method. */
final class DefaultMethods {

  private DefaultMethods() {}

  static @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Class<?> owner = method.getDeclaringClass();
    return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
        .unreflectSpecial(method, owner)
        .bindTo(proxy)
        .invokeWithArguments(arguments == null ? new Object[0] : arguments);
  }
}
