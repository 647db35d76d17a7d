// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.compression.DictionaryInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link DictionaryCleaner} has done. Immutable.
 *
 * @param keys how many keys it has looked at; a key may be met more than once
 * @param removed the dictionaries that it has removed, or would have in a dry run; unmodifiable
 * @param obstacle why a reference may have been missed, so that nothing was removed; null if all
 *     was seen
 */
public record Cleanup(long keys, List<DictionaryInfo> removed, @Nullable String obstacle) {

  /** Makes the list unmodifiable. */
  public Cleanup {
    removed = List.copyOf(removed);
  }
}
