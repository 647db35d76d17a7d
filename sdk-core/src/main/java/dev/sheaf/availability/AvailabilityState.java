// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

/** The state of a node, or of Redis as a whole: whether it can be used. */
public enum AvailabilityState {
  /** It answers in time. */
  UP,

  /** It answers, but repeatedly late; for a cluster: some nodes are UP and some are not. */
  SLOW,

  /** It does not answer, cannot be reached, or reports that it cannot serve. */
  DOWN
}
