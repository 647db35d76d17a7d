// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Caches the results of a bulk method per key, as {@link
 * org.springframework.cache.annotation.Cacheable} does for a method of one key.
 *
 * <pre>{@code
 * @CacheableAll("prices")
 * public Map<Long, Price> of(Collection<Long> items) {   // called with those that are not cached
 *   return repository.pricesOf(items);
 * }
 * }</pre>
 *
 * <p>The keys are read in one round trip. The method is called at most once, with the keys that are
 * not cached, in the caller's order and without duplicates. It is not called if all are cached. Its
 * results are cached in one write, with the time to live of the cache, under the keys that
 * {@code @Cacheable} uses for a method with that one argument (without a key generator or key
 * expression). The caller gets the values that exist, in the order of its keys; the map is
 * unmodifiable.
 *
 * <ul>
 *   <li>A key that the method omits or maps to null has no value: it is not in the caller's map.
 *       That is cached if the cache allows null values, which is the default. A method that returns
 *       null found nothing.
 *   <li>Results for keys that were not requested are discarded.
 *   <li>An exception of the method is passed to the caller, and nothing is cached.
 *   <li>A cached value that cannot be deserialized is an exception, as with {@code @Cacheable}.
 *   <li>A slow or unavailable Redis is an empty cache; see {@code sheaf.cache}.
 *   <li>Keys that another thread of this JVM is loading are awaited, at most {@code
 *       sheaf.cache.load-timeout}. Otherwise they are loaded here with one more call of the method.
 * </ul>
 *
 * <p>Works as {@code @Cacheable} does: with {@code @EnableCaching}, for calls of a bean from
 * outside. The method has one parameter, a {@link java.util.Collection}, {@link java.util.List} or
 * {@link java.util.Set} of keys that are not null, and returns a {@link java.util.Map}. On any
 * other method, or one that a proxy cannot intercept, the annotation fails the start of the
 * application.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface CacheableAll {

  /** The name of the cache, which must be in Redis. */
  String value();
}
