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
 * many nodes. For development, demonstrations and tests. Thread-safe. Methods that read or change
 * the data wait for the server's command thread, at most {@link #CALL_TIMEOUT}.
 */
public final class EmbeddedServer implements AutoCloseable {
  /** How long a method waits for the command thread, which a long script can occupy. */
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
   * Starts a standalone server on a free port of the loopback address.
   *
   * @throws UncheckedIOException if no socket can be opened
   */
  public static EmbeddedServer start() {
    return builder().start();
  }

  public static EmbeddedServerBuilder builder() {
    return new EmbeddedServerBuilder();
  }

  /** Returns the TCP port of the first node. */
  public int port() {
    return topology.wrappers().get(0).port();
  }

  /**
   * Returns {@code redis://127.0.0.1:port} of the first node, with the password if there is one.
   */
  public String uri() {
    return uri(port());
  }

  String uri(int port) {
    return topology.uri(port);
  }

  /**
   * Returns {@code redis-sentinel://127.0.0.1:port#name}, a Lettuce URI.
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
   * Returns the TCP port of the sentinel.
   *
   * @throws IllegalStateException if it was built without {@link EmbeddedServerBuilder#sentinel}
   */
  public int sentinelPort() {
    sentinelUri();
    return sentinelPort;
  }

  /** Returns whether it was built with {@link EmbeddedServerBuilder#cluster}. */
  public boolean isCluster() {
    return nodes.isCluster();
  }

  /** Returns all nodes: the masters first, in the order of their slots, then their replicas. */
  public List<EmbeddedNode> nodes() {
    return topology.wrappers();
  }

  public EmbeddedClock clock() {
    return clock;
  }

  /** Returns the sum of the counters of all nodes. */
  public NodeStats stats() {
    return nodes().stream().map(EmbeddedNode::stats).reduce(NodeStats::plus).orElseThrow();
  }

  /** Returns the figures of idle compression on all nodes; zero if it is off. */
  public IdleCompression idleCompression() {
    return call(() -> IdleCompression.of(nodes.all()));
  }

  /** Resets the counters of all nodes. */
  public void resetStats() {
    nodes().forEach(EmbeddedNode::resetStats);
  }

  /** Returns the fault injection of this server. */
  public Faults faults() {
    return faults;
  }

  /** Returns the command log, which records once started. */
  public CommandLog log() {
    return log;
  }

  /**
   * Returns the server's only event loop, to run a Netty client in this JVM on it: then no other
   * thread takes part in a request. It uses Linux's epoll if the server was built with {@link
   * EmbeddedServerBuilder#epoll}, otherwise Java's NIO. Everything that the client does on it,
   * including callbacks, delays the server, and a script delays the client. It ends with the
   * server. The client must not shut it down, and should be closed first. For Lettuce see {@link
   * dev.sheaf.embedded.lettuce.InProcessResources}.
   */
  public IoEventLoopGroup eventLoops() {
    return listener.eventLoops();
  }

  /** Returns the data of database 0. */
  public EmbeddedData data() {
    return data(0);
  }

  /**
   * Returns the data of a database.
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

  /** Restores the data of all nodes at once. Nodes that were added later are emptied. */
  public void restore(Snapshot snapshot) {
    thread.run(() -> snapshot.restore(nodes.all()));
  }

  /** Restarts all nodes; see {@link EmbeddedNode#restart}. */
  public void restart() {
    nodes().forEach(EmbeddedNode::restart);
  }

  /**
   * Adds a master without slots to the cluster.
   *
   * @throws IllegalStateException on a standalone server
   * @throws UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addMaster() {
    Check.state(!isCluster(), "a standalone server has one master");
    return topology.join(null);
  }

  /**
   * Starts to move a slot. Until {@link SlotMigration#finish}, the source node answers ASK for keys
   * that it no longer has.
   *
   * @throws IllegalArgumentException if {@code from} does not serve the slot, or a node is not a
   *     master
   */
  public SlotMigration beginMigration(int slot, EmbeddedNode from, EmbeddedNode to) {
    return call(() -> new SlotMigration(thread, nodes, slot, from.node(), to.node()));
  }

  /** Moves a slot with all its keys at once. */
  public void migrateSlot(int slot, EmbeddedNode from, EmbeddedNode to) {
    thread.run(() -> beginMigration(slot, from, to).finish());
  }

  /** Runs a task on the command thread and waits for its result. */
  <T> T call(Callable<T> work) {
    return thread.call(work);
  }

  /** Closes all connections and ports; returns within seconds. Closing again does nothing. */
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
