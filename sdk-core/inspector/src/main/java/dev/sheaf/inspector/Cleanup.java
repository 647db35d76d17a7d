// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.compression.DictionaryInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link DictionaryCleaner}. Immutable.
 *
 * @param keys the number of keys it has scanned; a key can be counted more than once
 * @param removed the dictionaries that it has removed, or would have in a dry run; unmodifiable
 * @param obstacle why the scan may have missed a reference, so that nothing was removed; null if it
 *     was complete
 */
public record Cleanup(long keys, List<DictionaryInfo> removed, @Nullable String obstacle) {

  /** Copies the list. */
  public Cleanup {
    removed = List.copyOf(removed);
  }
}
