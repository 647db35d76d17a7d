// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

/** The kind of server that clients connect to. */
public enum ServerKind {
  /** One server on the loopback interface. */
  STANDALONE("redis.uri"),
  /** A cluster of three masters on the loopback interface. */
  CLUSTER("redis.cluster.uri");

  private final String property;

  ServerKind(String property) {
    this.property = property;
  }

  /** Returns the system property that names a running server. */
  String property() {
    return property;
  }
}
