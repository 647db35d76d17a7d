package dev.sheaf.embedded;

import dev.sheaf.embedded.node.ServerNode;
import java.util.BitSet;
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

  @Override
  public String toString() {
    return "EmbeddedNode[" + port() + " " + id() + "]";
  }
}
