// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.command.Commands;
import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.net.Listener;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerClock;
import dev.sheaf.embedded.internal.node.ServerNode;
import io.netty.channel.IoEventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A server in this JVM that speaks the Redis protocol on real sockets: standalone, or a cluster of
 * many nodes. For development, demonstrations and tests. All methods are safe for use by many
 * threads; those that look at or change the data wait for the server's command thread, at most
 * {@link #CALL_TIMEOUT}.
 */
public final class EmbeddedServer implements AutoCloseable {
  /** How long a method waits for the command thread, which a long script may hold. */
  public static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

  private final Listener listener;
  private final CommandThread thread;
  private final Nodes nodes;
  private final Topology topology;
  private final EmbeddedClock clock;
  private final Runnable timeMoved;
  private @Nullable String sentinelUri;
  private int sentinelPort;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Faults faults;
  private final CommandLog log;

  EmbeddedServer(EmbeddedServerBuilder builder) throws IOException {
    clock = builder.clock;
    listener = new Listener(builder.epoll);
    thread = new CommandThread(listener, CALL_TIMEOUT);
    nodes =
        new Nodes(
            builder.masters > 0,
            new ClockOf(clock),
            listener.thread(),
            Commands.of(builder.version.edition()),
            builder.seed);
    nodes.socketReader(listener::readSockets);
    topology = new Topology(listener, thread, nodes, builder.password, builder.compressIdleAfter);
    faults = new Faults(topology);
    log = new CommandLog(recorder -> thread.run(() -> nodes.recorder = recorder));
    timeMoved = () -> thread.run(nodes::timeMoved);
    try {
      open(builder);
      thread.started();
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
    clock.onAdvance(timeMoved);
  }

  private record ClockOf(EmbeddedClock clock) implements ServerClock {
    @Override
    public long millis() {
      return clock.millis();
    }

    @Override
    public long micros() {
      return clock.micros();
    }

    @Override
    public void scriptCommandRan() {
      clock.scriptCommandRan();
    }
  }

  private void open(EmbeddedServerBuilder builder) throws IOException {
    topology.open(builder.masters, builder.replicasPerMaster, builder.port, builder.unixSocket);
    String watchedName = builder.sentinelOf;
    if (watchedName != null) {
      sentinelPort = topology.openSentinel(watchedName, new ClockOf(clock));
      sentinelUri = "redis-sentinel://127.0.0.1:" + sentinelPort + "#" + watchedName;
    }
  }

  /**
   * A standalone server on a free port of the loopback address.
   *
   * @throws UncheckedIOException if no socket can be opened
   */
  public static EmbeddedServer start() {
    return builder().start();
  }

  public static EmbeddedServerBuilder builder() {
    return new EmbeddedServerBuilder();
  }

  /** The TCP port of the first node. */
  public int port() {
    return topology.wrappers().get(0).port();
  }

  /** {@code redis://127.0.0.1:port} of the first node, with the password if there is one. */
  public String uri() {
    return uri(port());
  }

  String uri(int port) {
    return topology.uri(port);
  }

  /**
   * {@code redis-sentinel://127.0.0.1:port#name}, as Lettuce takes it.
   *
   * @throws IllegalStateException if it was built without {@link EmbeddedServerBuilder#sentinel}
   */
  public String sentinelUri() {
    if (sentinelUri == null) {
      throw new IllegalStateException("there is no sentinel; build the server with sentinel(name)");
    }
    return sentinelUri;
  }

  /**
   * The TCP port of the sentinel.
   *
   * @throws IllegalStateException if it was built without {@link EmbeddedServerBuilder#sentinel}
   */
  public int sentinelPort() {
    sentinelUri();
    return sentinelPort;
  }

  /** Whether it was built with {@link EmbeddedServerBuilder#cluster}. */
  public boolean isCluster() {
    return nodes.isCluster();
  }

  /** All nodes: the masters first, in the order of their slots, then their replicas. */
  public List<EmbeddedNode> nodes() {
    return topology.wrappers();
  }

  public EmbeddedClock clock() {
    return clock;
  }

  /** What all nodes have counted, summed. */
  public NodeStats stats() {
    return nodes().stream().map(EmbeddedNode::stats).reduce(NodeStats::plus).orElseThrow();
  }

  /** What compressing idle values has done so far, on all nodes; zero where it is off. */
  public IdleCompression idleCompression() {
    return call(() -> IdleCompression.of(nodes.all()));
  }

  /** Starts counting anew on every node. */
  public void resetStats() {
    nodes().forEach(EmbeddedNode::resetStats);
  }

  /** Faults on demand. */
  public Faults faults() {
    return faults;
  }

  /** The commands that ran; it records once started. */
  public CommandLog log() {
    return log;
  }

  /**
   * The one event loop of the server, for a Netty client in this JVM to run on as well: then no
   * other thread takes part in a request. It is one of Linux's epoll if the server was built with
   * {@link EmbeddedServerBuilder#epoll}, else one of Java's NIO. What the client does on it,
   * callbacks included, holds up the server, and a script holds up the client. It ends with the
   * server; the client must not shut it down, and should be closed first. For Lettuce see {@link
   * dev.sheaf.embedded.lettuce.InProcessResources}.
   */
  public IoEventLoopGroup eventLoops() {
    return listener.eventLoops();
  }

  /** The data of database 0, without a client. */
  public EmbeddedData data() {
    return data(0);
  }

  /**
   * The data of a numbered database, without a client.
   *
   * @throws IllegalArgumentException unless 0 to 15, and 0 in a cluster
   */
  public EmbeddedData data(int database) {
    Check.argument(
        database < 0 || database >= ServerNode.DATABASES || (isCluster() && database != 0),
        "databases are 0 to 15, in a cluster only 0: %s",
        database);
    return new EmbeddedData(topology, database);
  }

  /** Copies the data of all nodes. */
  public Snapshot snapshot() {
    return call(() -> new Snapshot(nodes.all()));
  }

  /** Puts the data back, on all nodes at once; nodes that came later are emptied. */
  public void restore(Snapshot snapshot) {
    thread.run(() -> snapshot.restore(nodes.all()));
  }

  /** Restarts all nodes; see {@link EmbeddedNode#restart}. */
  public void restart() {
    nodes().forEach(EmbeddedNode::restart);
  }

  /**
   * A new master without slots joins the cluster.
   *
   * @throws IllegalStateException on a standalone server
   * @throws UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addMaster() {
    Check.state(!isCluster(), "a standalone server has one master");
    return topology.join(null);
  }

  /**
   * Begins to move a slot: until {@link SlotMigration#finish} the giving node answers ASK for keys
   * it no longer holds.
   *
   * @throws IllegalArgumentException if {@code from} does not serve the slot, or a node is no
   *     master
   */
  public SlotMigration beginMigration(int slot, EmbeddedNode from, EmbeddedNode to) {
    return call(() -> new SlotMigration(thread, nodes, slot, from.node(), to.node()));
  }

  /** Moves a slot with all its keys at once. */
  public void migrateSlot(int slot, EmbeddedNode from, EmbeddedNode to) {
    thread.run(() -> beginMigration(slot, from, to).finish());
  }

  /** Runs something on the command thread and waits for its outcome. */
  <T> T call(Callable<T> work) {
    return thread.call(work);
  }

  /** Closes all connections and ports; returns within seconds. Calling it again does nothing. */
  @Override
  public void close() {
    clock.forget(timeMoved);
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    nodes.beginClose();
    thread.run(() -> nodes.close());
    listener.close();
  }
}
