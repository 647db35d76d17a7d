// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import io.lettuce.core.RedisURI;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The primaries that the guard is to watch, as they are now. Thread-safe. */
public interface NodeSource<K> {

  /**
   * A primary.
   *
   * @param name {@code host:port}
   * @param slots how many slots it serves; 1 for a server that is no cluster
   */
  record Node(String name, RedisURI uri, int slots) {}

  /** The primaries; of a cluster those that serve slots. */
  Collection<Node> nodes();

  /** Whether the nodes may change. */
  boolean isCluster();

  /** The name of the node that serves a key, or null if none does. */
  @Nullable String nodeOf(K key);

  /**
   * What the user's connection to a node hears, or null if there is none yet; the client then
   * begins to open one.
   */
  @Nullable ReplyActivity signsOf(Node node);

  /** Has the client look for the nodes anew, without waiting. */
  void refresh();
}
