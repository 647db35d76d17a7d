// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

/** What the clients are connected to. */
public enum ServerKind {
  /** One server on the loopback interface. */
  STANDALONE("redis.uri"),
  /** A cluster of three masters on the loopback interface. */
  CLUSTER("redis.cluster.uri");

  private final String property;

  ServerKind(String property) {
    this.property = property;
  }

  /** The system property that names a server already running. */
  String property() {
    return property;
  }
}
