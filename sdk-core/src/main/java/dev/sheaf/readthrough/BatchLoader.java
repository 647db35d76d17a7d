// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import java.util.Map;
import java.util.Set;

/**
 * A loader of the values of many keys at once, from the source of the data.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
@FunctionalInterface
public interface BatchLoader<K, V> {

  /**
   * Loads values, on the thread of the caller that needs them first; may block.
   *
   * @param missing the keys to load, at least one; unmodifiable
   * @return the values there are; a key without an entry has none. Other keys are ignored
   * @throws Exception fails every caller that waits for one of these keys; nothing is cached
   */
  Map<? extends K, ? extends V> loadAll(Set<K> missing) throws Exception;
}
