// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A view of client resources with some parts replaced.
 *
 * <p>A view and not a copy: a copy must be shut down, which would shut down the parts it shares
 * with the original.
 */
public final class ResourcesView {

  private ResourcesView() {}

  /**
   * Creates a view.
   *
   * @param parts the replaced parts, by the names of their getters
   */
  public static ClientResources of(ClientResources resources, Map<String, Object> parts) {
    return (ClientResources)
        Proxy.newProxyInstance(
            ClientResources.class.getClassLoader(),
            new Class<?>[] {ClientResources.class},
            (proxy, method, arguments) -> {
              Object part = parts.get(method.getName());
              return part == null ? call(resources, method, arguments) : part;
            });
  }

  private static @Nullable Object call(
      ClientResources resources, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(resources, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
