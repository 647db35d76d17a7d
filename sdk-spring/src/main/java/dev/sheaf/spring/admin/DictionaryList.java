// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.compression.DictionaryInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored dictionaries without their content, which has parts of values. Immutable.
 *
 * @param dictionaries the first ones, grouped by prefix
 * @param left how many more there are
 * @param problem why they could not be listed; null if they were
 */
record DictionaryList(List<Row> dictionaries, int left, @Nullable String problem) {

  /** The most that are listed; further ones are counted: 256, which clients do not reach. */
  static final int MAX_ROWS = 256;

  /** One dictionary. */
  record Row(
      String id,
      String prefix,
      int bytes,
      int samples,
      double ratio,
      String trainedAt,
      @Nullable String lastUsed,
      boolean current) {

    private static Row of(DictionaryInfo info) {
      Instant used = info.lastUsed();
      return new Row(
          info.id(),
          info.prefix(),
          info.bytes(),
          info.samples(),
          info.ratio(),
          info.trainedAt().toString(),
          used == null ? null : used.toString(),
          info.isCurrent());
    }
  }

  static DictionaryList of(List<DictionaryInfo> infos) {
    List<Row> rows = infos.stream().limit(MAX_ROWS).map(Row::of).toList();
    return new DictionaryList(rows, infos.size() - rows.size(), null);
  }

  static DictionaryList unknown(String problem) {
    return new DictionaryList(List.of(), 0, problem);
  }
}
