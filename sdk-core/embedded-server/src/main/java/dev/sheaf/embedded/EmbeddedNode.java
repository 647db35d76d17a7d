// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Connection;
import dev.sheaf.embedded.internal.node.Counters;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** One node of an {@link EmbeddedServer}. Thread-safe. */
public final class EmbeddedNode {
  private final Topology topology;
  private final ServerNode node;

  EmbeddedNode(Topology topology, ServerNode node) {
    this.topology = topology;
    this.node = node;
  }

  ServerNode node() {
    return node;
  }

  /** Returns the TCP port. */
  public int port() {
    return node.port();
  }

  /** Returns {@code redis://127.0.0.1:port}, with the password if there is one. */
  public String uri() {
    return topology.uri(port());
  }

  /** Returns the node id in the cluster, 40 hexadecimal digits. */
  public String id() {
    return node.id;
  }

  /** Returns whether it is a master now. */
  public boolean isMaster() {
    return topology.call(node::isMaster);
  }

  /** Returns the master of a replica; empty for a master. */
  public Optional<EmbeddedNode> master() {
    return Optional.ofNullable(topology.call(node::master)).map(topology::wrap);
  }

  /** Returns a copy of the slots it serves as master; empty for a replica. */
  public BitSet slots() {
    return topology.call(node::slots);
  }

  /** Returns its counters. */
  public NodeStats stats() {
    return topology.call(() -> NodeStats.of(node));
  }

  /** Resets its counters. */
  public void resetStats() {
    topology.run(() -> node.counters = new Counters());
  }

  /**
   * Sets the port that MOVED, CLUSTER NODES, SLOTS and SHARDS report: that of a proxy in front of
   * this node. Call it before clients connect.
   */
  public void announcePort(int port) {
    topology.run(() -> node.announcedPort = port);
  }

  /**
   * Stops reading from its sockets, like a suspended process, until {@link #resume}. The operating
   * system still accepts new connections, as it does for a suspended process.
   */
  public void pause() {
    freeze(true);
  }

  /** Ends {@link #pause}. */
  public void resume() {
    freeze(false);
  }

  void freeze(boolean on) {
    topology.run(() -> node.frozen(on));
  }

  /**
   * Closes its port and all its connections, like a killed process. The other nodes of a cluster
   * see it as failed at once. Its slots are served again after a failover to a replica or {@link
   * #start}.
   */
  public void kill() {
    topology.run(() -> node.failed(true));
    closeSockets();
  }

  void closeSockets() {
    topology.unlisten(node);
    topology.run(
        () -> {
          for (Client client : List.copyOf(node.clients.values())) {
            Connection connection = client.connection;
            if (connection != null) {
              connection.close();
            }
          }
        });
  }

  /**
   * Starts a killed node again on the same port. It has kept its data, as if it had saved it, and
   * lost its script cache.
   *
   * @throws java.io.UncheckedIOException if another process uses the port now
   * @throws IllegalStateException if it is not killed
   */
  public void start() {
    topology.run(
        () -> {
          Check.state(!node.isFailed(), "node %s runs already", port());
          node.nodes.flushScripts(node);
        });
    topology.listen(node);
    topology.run(() -> node.failed(false));
  }

  /** Kills it and starts it again on the same port. */
  public void restart() {
    kill();
    start();
  }

  /**
   * Adds a replica to this master, with a copy of its data.
   *
   * @throws IllegalArgumentException if this is a replica itself
   * @throws java.io.UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addReplica() {
    Check.argument(!isMaster(), "not a master: %s", this);
    return topology.join(node);
  }

  /**
   * Makes this replica the master, and its master a replica of it.
   *
   * @throws IllegalArgumentException if it is a master
   */
  public void failover() {
    topology.failover(node);
  }

  /**
   * Removes the node permanently: closes its connections and its port, and makes the others forget
   * it.
   *
   * @throws IllegalArgumentException if it still serves slots, or is a standalone master
   */
  public void remove() {
    topology.remove(this);
  }

  @Override
  public String toString() {
    return "EmbeddedNode[" + port() + " " + id() + "]";
  }
}
