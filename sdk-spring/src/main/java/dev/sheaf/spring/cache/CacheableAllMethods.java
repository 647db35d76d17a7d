// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** The methods with {@link CacheableAll}, validated at first use. Thread-safe. */
final class CacheableAllMethods extends StaticMethodMatcherPointcut {

  private static final Set<Class<?>> PARAMETERS = Set.of(Collection.class, List.class, Set.class);

  private final Map<MethodClassKey, Optional<String>> cacheNames = new ConcurrentHashMap<>();

  CacheableAllMethods() {
    setClassFilter(type -> AnnotationUtils.isCandidateClass(type, CacheableAll.class));
  }

  /**
   * Returns whether a method has the annotation.
   *
   * @throws IllegalStateException if it has, but is not a supported method; the message names the
   *     method and the reason
   */
  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    return cacheName(method, targetClass) != null;
  }

  /** Returns the name of the method's cache, or null if the method has no annotation. */
  @Nullable String cacheName(Method method, Class<?> targetClass) {
    return cacheNames
        .computeIfAbsent(
            new MethodClassKey(method, targetClass), key -> checked(method, targetClass))
        .orElse(null);
  }

  private static Optional<String> checked(Method method, Class<?> targetClass) {
    Method implementation = AopUtils.getMostSpecificMethod(method, targetClass);
    CacheableAll annotation =
        AnnotatedElementUtils.findMergedAnnotation(implementation, CacheableAll.class);
    if (annotation == null) {
      return Optional.empty();
    }
    String fault = fault(implementation, annotation, targetClass);
    if (fault != null) {
      throw new IllegalStateException(
          "@CacheableAll on " + implementation.toGenericString() + ": " + fault);
    }
    return Optional.of(annotation.value());
  }

  private static @Nullable String fault(
      Method method, CacheableAll annotation, Class<?> targetClass) {
    if (annotation.value().isBlank()) {
      return "the name of the cache is empty; write @CacheableAll(\"name\")";
    }
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      return "calls of a private, static or final method do not pass the proxy; make it public";
    }
    if (method.getParameterCount() != 1 || !PARAMETERS.contains(method.getParameterTypes()[0])) {
      return "it needs one parameter, a Collection, List or Set of keys";
    }
    if (method.getReturnType() != Map.class) {
      return "it has to return a Map of the keys, but returns "
          + method.getReturnType().getSimpleName();
    }
    return faultOfTypes(method, targetClass);
  }

  private static @Nullable String faultOfTypes(Method method, Class<?> targetClass) {
    Class<?> keys =
        ResolvableType.forMethodParameter(method, 0, targetClass)
            .asCollection()
            .getGeneric()
            .resolve();
    Class<?> mapped =
        ResolvableType.forMethodReturnType(method, targetClass).asMap().getGeneric(0).resolve();
    return keys == null || mapped == null || keys == mapped
        ? null
        : "it is given keys of "
            + keys.getName()
            + ", but returns a Map with keys of "
            + mapped.getName();
  }
}
