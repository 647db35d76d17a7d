// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import org.jspecify.annotations.Nullable;

/**
 * A loader from the source of the data: of the value of a key, or of those of a set of keys.
 *
 * @param <K> what it is asked for
 * @param <V> what it gives
 */
@FunctionalInterface
public interface Loader<K, V> {

  /**
   * Loads, on the thread of the caller that needs it first; may block.
   *
   * @return the value, or null if there is none; of a set of keys a map of the values there are
   * @throws Exception fails every caller that waits for it; nothing is cached
   */
  @Nullable V load(K key) throws Exception;
}
