// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.CommandTraits;

/** Listens to the results of fusion. Called on the event loop. */
public interface FusionCounts {

  /**
   * Called when reads have been sent as one.
   *
   * @param distinct how many distinct items they request
   */
  void fused(CommandTraits kind, int reads, int distinct);

  /** Called when fused reads are sent again one by one. */
  void unfused(CommandTraits kind, int reads);

  /** Called with the number of GETs that are checked after an MGET answered nil; may be zero. */
  void nilChecks(int gets);
}
