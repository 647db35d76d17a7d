// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import org.jspecify.annotations.Nullable;

/**
 * A loader of the value of one key, from the source of the data.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@FunctionalInterface
public interface Loader<K, V> {

  /**
   * Loads a value, on the thread of the caller that needs it first; may block.
   *
   * @return the value, or null if there is none
   * @throws Exception fails every caller that waits for this key; nothing is cached
   */
  @Nullable V load(K key) throws Exception;
}
