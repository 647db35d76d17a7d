// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Caches what a method finds for many keys, each key by itself: what {@link
 * org.springframework.cache.annotation.Cacheable} is to a method of one key.
 *
 * <pre>{@code
 * @CacheableAll("prices")
 * public Map<Long, Price> of(Collection<Long> items) {   // called with those that are not cached
 *   return repository.pricesOf(items);
 * }
 * }</pre>
 *
 * <p>The keys are read in one round trip. The method is called at most once with those that the
 * cache does not have, in the order of the caller and without repetitions, and not at all if it has
 * all; what it returns is cached in one write, for the time to live that the cache is configured
 * with, under the keys that {@code @Cacheable} of a method with that one argument uses, unless it
 * has a key generator or a key expression of its own. The caller gets the values there are, in the
 * order of its keys; the map is unmodifiable.
 *
 * <ul>
 *   <li>A key that the method leaves out, or maps to null, has no value: it is not in the caller's
 *       map. That is remembered if the cache allows null values, as it does unless configured
 *       otherwise. A method that returns null found nothing.
 *   <li>What the method returns for other keys than it was asked for is dropped.
 *   <li>What the method throws, its caller gets, and nothing is cached.
 *   <li>A cached value that cannot be deserialized is an exception, as with {@code @Cacheable}.
 *   <li>A Redis that is slow or lost is a cache that has nothing; see {@code sheaf.cache}.
 *   <li>Keys that another thread of this JVM is loading are waited for, {@code
 *       sheaf.cache.load-timeout} at most, and else loaded here with one more call of the method.
 * </ul>
 *
 * <p>Works as {@code @Cacheable} does, with {@code @EnableCaching}, for calls of a bean from
 * outside. The method has one parameter, a {@link java.util.Collection}, {@link java.util.List} or
 * {@link java.util.Set} of keys, which are not null, and returns a {@link java.util.Map}; another
 * method with this annotation ends the start of the application, and so does one that a proxy
 * cannot see.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface CacheableAll {

  /** The name of the cache, which Redis has to keep. */
  String value();
}
