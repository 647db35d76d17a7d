// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.CommandTraits;

/** Is told what became of reads that could travel as one. Called on the event loop. */
public interface FusionCounts {

  /**
   * Reads have left as one.
   *
   * @param distinct how many of them ask for something that none before them does
   */
  void fused(CommandTraits kind, int reads, int distinct);

  /** Reads that had left as one are sent each by itself. */
  void unfused(CommandTraits kind, int reads);

  /** That many GETs are asked again, none perhaps, because MGET had answered nil. */
  void nilChecks(int gets);
}
