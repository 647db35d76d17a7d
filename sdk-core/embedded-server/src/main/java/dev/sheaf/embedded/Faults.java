package dev.sheaf.embedded;

/** Faults on demand. Safe for use by many threads; takes effect with the next command. */
public final class Faults {
  private final EmbeddedServer server;

  Faults(EmbeddedServer server) {
    this.server = server;
  }

  /**
   * Answers the next executions of a command on every node (each node counts for itself) with an
   * error instead.
   *
   * @param command its name, subcommands as {@code client|setname}; {@code *} for any
   * @param times how many executions per node
   * @param errorLine the whole error with its code, such as {@code LOADING Redis is loading the
   *     dataset in memory}
   * @throws IllegalArgumentException if {@code times} is not positive or the line is empty
   */
  public void failNext(String command, int times, String errorLine) {
    for (EmbeddedNode node : server.nodes()) {
      failNext(node, command, times, errorLine);
    }
  }

  /** As {@link #failNext(String, int, String)}, on one node. */
  public void failNext(EmbeddedNode node, String command, int times, String errorLine) {
    if (times < 1 || errorLine.isEmpty()) {
      throw new IllegalArgumentException(
          "times must be positive and the error line not empty: "
              + times
              + ", '"
              + errorLine
              + "'");
    }
    node.node().faults().failNext(command, times, errorLine);
  }

  /** Forgets all faults that have not happened yet. */
  public void clear() {
    for (EmbeddedNode node : server.nodes()) {
      node.node().faults().clear();
    }
  }
}
