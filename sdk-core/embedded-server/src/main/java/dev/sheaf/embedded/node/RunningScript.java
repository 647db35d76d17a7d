package dev.sheaf.embedded.node;

/**
 * The script that holds the command thread. Once it has run for longer than the node's
 * busy-reply-threshold, the sockets are read from inside it, so that other clients get BUSY and can
 * end it.
 */
public final class RunningScript {
  private final ServerNode node;
  private final Client caller;
  private final long startedNanos = System.nanoTime();
  private final long dirtyBefore;
  private boolean busy;
  private boolean killed;

  public RunningScript(ServerNode node, Client caller) {
    this.node = node;
    this.caller = caller;
    this.dirtyBefore = node.dirty();
  }

  public Client caller() {
    return caller;
  }

  public boolean isBusy() {
    return busy;
  }

  /** Whether it has changed data, so that it must not be stopped half way. */
  public boolean hasWritten() {
    return node.dirty() != dirtyBefore;
  }

  public void kill() {
    killed = true;
  }

  /** Asked often while the script runs; true ends it. */
  public boolean poll() {
    Nodes nodes = node.nodes();
    if (nodes.isClosing()) {
      return true;
    }
    long millis = (System.nanoTime() - startedNanos) / 1_000_000;
    if (millis >= node.config().busyThresholdMillis()) {
      busy = true;
      long scriptTime = nodes.now();
      nodes.readSockets();
      nodes.now(scriptTime);
    }
    return killed;
  }
}
