// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** The servers that one test class is run against. */
public enum ServerKind {
  EMBEDDED("embedded"),
  EMBEDDED_CLUSTER("embedded-cluster"),
  REAL("real"),
  REAL_CLUSTER("real-cluster"),
  CONTAINER("container");

  private final String label;

  ServerKind(String label) {
    this.label = label;
  }

  public boolean isCluster() {
    return this == EMBEDDED_CLUSTER || this == REAL_CLUSTER;
  }

  public boolean isEmbedded() {
    return this == EMBEDDED || this == EMBEDDED_CLUSTER;
  }

  /** The name in test reports and in the system property {@code sheaf.servers}. */
  @Override
  public String toString() {
    return label;
  }

  /**
   * Reads a choice: {@code all}, or labels with commas between them.
   *
   * @throws IllegalArgumentException if a label is none of ours
   */
  static Set<ServerKind> parse(String choice) {
    if (choice.equals("all")) {
      return EnumSet.allOf(ServerKind.class);
    }
    Set<ServerKind> kinds = EnumSet.noneOf(ServerKind.class);
    for (String label : choice.split(",")) {
      kinds.add(byLabel(label.strip()));
    }
    return kinds;
  }

  private static ServerKind byLabel(String label) {
    for (ServerKind kind : values()) {
      if (kind.label.equals(label)) {
        return kind;
      }
    }
    String known = Arrays.stream(values()).map(k -> k.label).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "sheaf.servers names '" + label + "'; it takes all, or some of " + known);
  }
}
