package dev.sheaf.embedded;

import dev.sheaf.embedded.node.Client;
import dev.sheaf.embedded.node.Connection;
import dev.sheaf.embedded.node.ServerNode;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** One node of an {@link EmbeddedServer}. Safe for use by many threads. */
public final class EmbeddedNode {
  private final EmbeddedServer server;
  private final ServerNode node;

  EmbeddedNode(EmbeddedServer server, ServerNode node) {
    this.server = server;
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
    return server.uri(port());
  }

  /** Its 40 hexadecimal digits in the cluster. */
  public String id() {
    return node.id();
  }

  /** Whether it is a master now. */
  public boolean isMaster() {
    return server.call(node::isMaster);
  }

  /** The master of a replica; empty for a master. */
  public Optional<EmbeddedNode> master() {
    return Optional.ofNullable(server.call(node::master)).map(server::wrap);
  }

  /** The slots it serves as master; empty for a replica. A copy. */
  public BitSet slots() {
    return server.call(node::slots);
  }

  /** What it has counted. */
  public NodeStats stats() {
    return server.call(() -> NodeStats.of(node.counters()));
  }

  /** Starts counting anew. */
  public void resetStats() {
    server.call(
        () -> {
          node.counters().reset();
          return true;
        });
  }

  /**
   * Has MOVED, CLUSTER NODES, SLOTS and SHARDS name another port, that of a proxy in front of this
   * node. Call it before clients connect.
   */
  public void announcePort(int port) {
    server.announce(this, port);
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
    server.call(
        () -> {
          node.frozen(on);
          return true;
        });
  }

  /**
   * Closes its port and all its connections, as a process that is killed. The other nodes of a
   * cluster see it as failed at once; its slots are served again when a replica takes over or
   * {@link #start} brings it back.
   */
  public void kill() {
    server.call(
        () -> {
          node.failed(true);
          return true;
        });
    closeSockets();
  }

  void closeSockets() {
    server.unlisten(node);
    server.call(
        () -> {
          for (Client client : List.copyOf(node.clients().values())) {
            Connection connection = client.connection();
            if (connection != null) {
              connection.close();
            }
          }
          return true;
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
    server.call(
        () -> {
          if (!node.isFailed()) {
            throw new IllegalStateException("node " + port() + " runs already");
          }
          node.scripts().clear();
          return true;
        });
    server.listen(node);
    server.call(
        () -> {
          node.failed(false);
          return true;
        });
  }

  /** Kills it and starts it again on the same port. */
  public void restart() {
    kill();
    start();
  }

  @Override
  public String toString() {
    return "EmbeddedNode[" + port() + " " + id() + "]";
  }
}
