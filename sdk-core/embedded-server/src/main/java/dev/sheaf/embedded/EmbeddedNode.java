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

/** One node of an {@link EmbeddedServer}. Safe for use by many threads. */
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

  /** The TCP port it listens on. */
  public int port() {
    return node.port();
  }

  /** {@code redis://127.0.0.1:port}, with the password if there is one. */
  public String uri() {
    return topology.uri(port());
  }

  /** Its 40 hexadecimal digits in the cluster. */
  public String id() {
    return node.id;
  }

  /** Whether it is a master now. */
  public boolean isMaster() {
    return topology.call(node::isMaster);
  }

  /** The master of a replica; empty for a master. */
  public Optional<EmbeddedNode> master() {
    return Optional.ofNullable(topology.call(node::master)).map(topology::wrap);
  }

  /** The slots it serves as master; empty for a replica. A copy. */
  public BitSet slots() {
    return topology.call(node::slots);
  }

  /** What it has counted. */
  public NodeStats stats() {
    return topology.call(() -> NodeStats.of(node));
  }

  /** Starts counting anew. */
  public void resetStats() {
    topology.run(() -> node.counters = new Counters());
  }

  /**
   * Has MOVED, CLUSTER NODES, SLOTS and SHARDS name another port, that of a proxy in front of this
   * node. Call it before clients connect.
   */
  public void announcePort(int port) {
    topology.run(() -> node.announcedPort = port);
  }

  /**
   * Stops reading from its sockets, as a process that is stopped; {@link #resume} goes on. New
   * connections are still accepted, as the operating system does for a stopped process.
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
   * Closes its port and all its connections, as a process that is killed. The other nodes of a
   * cluster see it as failed at once; its slots are served again when a replica takes over or
   * {@link #start} brings it back.
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
   * Opens the port of a killed node again. It has kept its data, as if it had saved it, and lost
   * its script cache.
   *
   * @throws java.io.UncheckedIOException if the port has been taken meanwhile
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
   * A new replica of this master joins, with a copy of its data.
   *
   * @throws IllegalArgumentException if this is a replica itself
   * @throws java.io.UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addReplica() {
    Check.argument(!isMaster(), "not a master: %s", this);
    return topology.join(node);
  }

  /**
   * This replica takes over from its master, which becomes its replica.
   *
   * @throws IllegalArgumentException if it is a master
   */
  public void failover() {
    topology.failover(node);
  }

  /**
   * Takes the node out for good: its connections and its port are closed, and the others forget it.
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
