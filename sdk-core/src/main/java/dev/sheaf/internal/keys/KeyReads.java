// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import org.jspecify.annotations.Nullable;

/**
 * A read of each of many keys, sent together.
 *
 * @param <R> the type of a reply
 */
public interface KeyReads<R> {

  /** In place of the cell of a key that cannot be encoded. */
  int NO_CELL = -1;

  /**
   * The {@link dev.sheaf.internal.command.WriteClock} cell of the key at this index, or {@link
   * #NO_CELL}.
   */
  int cell(int index);

  /**
   * Sends the reads in one write with the blocking call of the current thread. Reads that find no
   * room in their queue fail.
   */
  void send();

  /** The common outcomes of all reads. */
  Outcomes<?> outcomes();

  /** The outcome at this index; null until there is one. */
  @Nullable Result<R> result(int index);

  /** The size of all replies as sent by the server. Valid once all outcomes are there. */
  long replyBytes();
}
