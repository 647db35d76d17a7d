// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

/** The availability guard of a node, as seen by a {@link SilenceWatch}. */
public interface Guard {

  /** The silence after which to notify the guard, in nanoseconds; 0 or less without a guard. */
  long looksAfterNanos();

  /** Called when the connection has been silent for that long. */
  void silent();
}
