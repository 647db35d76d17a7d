// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import org.jspecify.annotations.Nullable;

/**
 * A loader from the data source: of the value of a key, or of the values of a set of keys.
 *
 * @param <K> the type of the request: a key, or a set of keys
 * @param <V> the type of the result
 */
@FunctionalInterface
public interface Loader<K, V> {

  /**
   * Loads, on the thread of the first caller that needs it. May block.
   *
   * @return the value, or null if there is none; for a set of keys a map of the existing values
   * @throws Exception to fail every caller that waits for it; nothing is cached then
   */
  @Nullable V load(K key) throws Exception;
}
