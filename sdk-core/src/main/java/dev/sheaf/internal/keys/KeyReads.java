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

  /** Stands for the cell of a key that cannot be encoded. */
  int NO_CELL = -1;

  /**
   * The {@link dev.sheaf.internal.command.WriteClock} cell of the key at this index, or {@link
   * #NO_CELL}.
   */
  int cell(int index);

  /**
   * Sends what was prepared, in one write with the blocking call that the current thread is in;
   * what finds no room in its queue fails.
   */
  void send();

  /** What all reads complete together. */
  Outcomes<?> outcomes();

  /** The outcome at this index; null until there is one. */
  @Nullable Result<R> result(int index);

  /** The bytes of all replies as they travelled. To be asked once all outcomes are there. */
  long replyBytes();
}
