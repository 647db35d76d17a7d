// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import io.lettuce.core.RedisURI;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Supplies the current primaries to the guard. Thread-safe. */
public interface NodeSource<K> {

  /**
   * A primary.
   *
   * @param name {@code host:port}
   * @param slots how many slots it serves; 1 for a standalone server
   */
  record Node(String name, RedisURI uri, int slots) {}

  /** The primaries; in a cluster those that serve slots. */
  Collection<Node> nodes();

  /** Whether the nodes may change. */
  boolean isCluster();

  /** The name of the node that serves a key, or null if none does. */
  @Nullable String nodeOf(K key);

  /**
   * The reply activity of the data connection to a node; null if there is none yet, and the client
   * then starts to open one.
   */
  @Nullable ReplyActivity signsOf(Node node);

  /** Triggers a topology refresh of the client, without waiting. */
  void refresh();
}
