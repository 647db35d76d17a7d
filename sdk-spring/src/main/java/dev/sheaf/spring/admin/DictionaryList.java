// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.compression.DictionaryInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries that are stored, and nothing of their content, which has pieces of values.
 * Immutable.
 *
 * @param dictionaries the first ones, those of one prefix together
 * @param left how many there are beside these
 * @param problem why they could not be listed; null if they were
 */
record DictionaryList(List<Row> dictionaries, int left, @Nullable String problem) {

  /** More than this are counted and not listed: 256, which clients do not train. */
  static final int MAX_ROWS = 256;

  /** One of them. */
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
