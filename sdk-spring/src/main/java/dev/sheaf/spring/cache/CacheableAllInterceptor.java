// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Calls a method with {@link CacheableAll} for the keys that its cache does not have. Thread-safe.
 */
final class CacheableAllInterceptor implements MethodInterceptor {

  private final CacheableAllMethods methods;
  private final ObjectProvider<SheafCaches> caches;

  /** Wraps a checked exception of the method to pass it through a function. */
  private static final class Thrown extends RuntimeException {

    private static final long serialVersionUID = 1;

    Thrown(Throwable cause) {
      super(null, cause, false, false);
    }
  }

  /**
   * Creates an interceptor.
   *
   * @param caches looked up at each call, because advice is created before other beans
   */
  CacheableAllInterceptor(CacheableAllMethods methods, ObjectProvider<SheafCaches> caches) {
    this.methods = methods;
    this.caches = caches;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Class<?> type =
        target == null
            ? invocation.getMethod().getDeclaringClass()
            : AopUtils.getTargetClass(target);
    String cache =
        Objects.requireNonNull(methods.cacheName(invocation.getMethod(), type), "cache name");
    Collection<?> keys =
        Objects.requireNonNull(
            (Collection<?>) invocation.getArguments()[0],
            () -> "The collection of keys of " + invocation.getMethod() + " is null");
    try {
      return caches
          .getObject()
          .<Object, Object>getAll(cache, keys, missing -> call(invocation, missing));
    } catch (Thrown e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  @SuppressWarnings("unchecked") // Checked: a Map with keys of the parameter.
  private static Map<Object, @Nullable Object> call(
      MethodInvocation invocation, Set<Object> missing) {
    boolean sets = invocation.getMethod().getParameterTypes()[0].isAssignableFrom(Set.class);
    Collection<Object> argument =
        sets ? missing : Collections.unmodifiableList(new ArrayList<>(missing));
    try {
      Object found = ((ProxyMethodInvocation) invocation).invocableClone(argument).proceed();
      return found == null ? Map.of() : (Map<Object, @Nullable Object>) found;
    } catch (Throwable e) {
      throw new Thrown(e);
    }
  }
}
