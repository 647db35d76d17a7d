// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

/** The availability guard of a node, as far as a {@link SilenceWatch} has to know it. */
public interface Guard {

  /** The silence after which it is to look, in nanoseconds; 0 or less if there is no guard. */
  long looksAfterNanos();

  /** The connection has been silent for that long. */
  void silent();
}
