// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

/** The kinds of set-up a test makes sense on. */
public enum Topology {
  ANY,
  STANDALONE,
  CLUSTER;

  boolean admits(ServerKind kind) {
    return this == ANY || (this == CLUSTER) == kind.isCluster();
  }
}
