// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.command.Commands;
import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.data.IdleStrings;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.net.Listener;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerClock;
import dev.sheaf.embedded.internal.node.ServerNode;
import io.netty.channel.IoEventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
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
  private final @Nullable String password;
  private final Runnable timeMoved;
  private @Nullable String sentinelUri;
  private int sentinelPort;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Faults faults;
  private final CommandLog log;

  private EmbeddedServer(Builder builder) throws IOException {
    clock = builder.clock;
    password = builder.password;
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
    topology = new Topology(listener, thread, nodes, password, builder.compressIdleAfter);
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

  private void open(Builder builder) throws IOException {
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

  public static Builder builder() {
    return new Builder();
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
   * @throws IllegalStateException if it was built without {@link Builder#sentinel}
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
   * @throws IllegalStateException if it was built without {@link Builder#sentinel}
   */
  public int sentinelPort() {
    sentinelUri();
    return sentinelPort;
  }

  /** Whether it was built with {@link Builder#cluster}. */
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
   * {@link Builder#epoll}, else one of Java's NIO. What the client does on it, callbacks included,
   * holds up the server, and a script holds up the client. It ends with the server; the client must
   * not shut it down, and should be closed first. For Lettuce see {@link
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
   * A new replica of a master joins, with a copy of its data.
   *
   * @throws IllegalArgumentException if {@code master} is a replica itself
   * @throws UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addReplica(EmbeddedNode master) {
    Check.argument(!master.isMaster(), "not a master: %s", master);
    return topology.join(master.node());
  }

  /**
   * Takes a node out for good: its connections and its port are closed, and the others forget it.
   *
   * @throws IllegalArgumentException if it still serves slots, or is a standalone master
   */
  public void remove(EmbeddedNode node) {
    topology.remove(node);
  }

  /** As {@link EmbeddedNode#announcePort}. */
  public void announce(EmbeddedNode node, int port) {
    node.announcePort(port);
  }

  /**
   * Begins to move a slot: until {@link #finishMigration} the giving node answers ASK for keys it
   * no longer holds.
   *
   * @throws IllegalArgumentException if {@code from} does not serve the slot, or a node is no
   *     master
   */
  public void beginMigration(int slot, EmbeddedNode from, EmbeddedNode to) {
    thread.run(() -> SlotMigration.begin(nodes, slot, from.node(), to.node()));
  }

  /** Moves up to {@code max} keys of a slot under migration; returns how many moved. */
  public int migrateKeys(int slot, int max) {
    return call(() -> SlotMigration.moveKeys(nodes, slot, max));
  }

  /** Moves the remaining keys and gives the slot to its new owner. */
  public void finishMigration(int slot) {
    thread.run(() -> SlotMigration.finish(nodes, slot));
  }

  /** Moves a slot with all its keys at once. */
  public void migrateSlot(int slot, EmbeddedNode from, EmbeddedNode to) {
    thread.run(
        () -> {
          SlotMigration.begin(nodes, slot, from.node(), to.node());
          SlotMigration.finish(nodes, slot);
        });
  }

  /**
   * The replica takes over from its master, which becomes its replica.
   *
   * @throws IllegalArgumentException if the node is a master
   */
  public void failover(EmbeddedNode replica) {
    thread.run(() -> nodes.failover(replica.node()));
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

  /** What to start. Not safe for use by many threads. */
  public static final class Builder {
    private static final int MAX_PORT = 65535;

    private int port;
    private int masters;
    private int replicasPerMaster;
    private @Nullable Path unixSocket;
    private @Nullable String password;
    private @Nullable String sentinelOf;
    private boolean epoll;
    private @Nullable Duration compressIdleAfter;
    private EmbeddedClock clock = EmbeddedClock.system();
    private Version version = Version.REDIS_7_0;
    private long seed = System.nanoTime();

    private Builder() {}

    /**
     * The TCP port; 0 (the default) takes a free one. A cluster takes consecutive ports from here.
     *
     * @throws IllegalArgumentException outside 0 to 65535
     */
    public Builder port(int newPort) {
      Check.argument(newPort < 0 || newPort > MAX_PORT, "port must be 0 to 65535: %s", newPort);
      port = newPort;
      return this;
    }

    /**
     * A cluster instead of a standalone server.
     *
     * @param mastersWanted at least 1
     * @param replicas per master, 0 or more
     * @throws IllegalArgumentException outside these
     */
    public Builder cluster(int mastersWanted, int replicas) {
      Check.argument(
          mastersWanted < 1 || mastersWanted > Slots.COUNT || replicas < 0,
          "a cluster needs 1 to 16384 masters and 0 or more replicas each: %s, %s",
          mastersWanted,
          replicas);
      masters = mastersWanted;
      replicasPerMaster = replicas;
      return this;
    }

    /** Listens on a Unix socket as well. Standalone only. */
    public Builder unixSocket(Path path) {
      unixSocket = path;
      return this;
    }

    /** What clients must give by AUTH or HELLO, for the default user. */
    public Builder password(String newPassword) {
      password = newPassword;
      return this;
    }

    /**
     * Replicas of a standalone server, or of each master of a cluster.
     *
     * @throws IllegalArgumentException if negative
     */
    public Builder replicas(int perMaster) {
      Check.argument(perMaster < 0, "replicas must be 0 or more: %s", perMaster);
      replicasPerMaster = perMaster;
      return this;
    }

    /**
     * A sentinel beside a standalone server with replicas, on a free port; without a password.
     * {@link EmbeddedServer#failover} makes it announce the new master.
     */
    public Builder sentinel(String masterName) {
      sentinelOf = masterName;
      return this;
    }

    /**
     * Uses Linux's epoll, which is faster than Java's own sockets. The application brings
     * netty-transport-native-epoll.
     */
    public Builder epoll() {
      epoll = true;
      return this;
    }

    /**
     * Compresses strings of 256 bytes to 1 MiB with LZ4 that no command has used for so long, and
     * expands them when one does; off by default. It takes 5 ms at most of each 100 ms, for each
     * database that holds something. {@link EmbeddedServer#idleCompression} counts what it does.
     * The application brings at.yawk.lz4:lz4-java.
     *
     * @throws IllegalArgumentException below a second: uses are known to the second
     */
    public Builder compressIdleAfter(Duration idle) {
      Check.argument(idle.toMillis() < 1000, "idle must be at least a second: %s", idle);
      compressIdleAfter = idle;
      return this;
    }

    /** The server to behave as; {@link Version#REDIS_7_0} by default. */
    public Builder version(Version newVersion) {
      version = newVersion;
      return this;
    }

    /** The seed of what is random, such as RANDOMKEY, SPOP and node ids; another each time else. */
    public Builder seed(long newSeed) {
      seed = newSeed;
      return this;
    }

    /** The time to go by; {@link EmbeddedClock#system()} by default. */
    public Builder clock(EmbeddedClock newClock) {
      clock = newClock;
      return this;
    }

    /**
     * Starts the server.
     *
     * @throws UncheckedIOException if a socket cannot be opened
     * @throws IllegalStateException if epoll is wanted and not there, LZ4 is needed and not there,
     *     or a Unix socket is asked of a cluster
     */
    public EmbeddedServer start() {
      if (compressIdleAfter != null) {
        IdleStrings.requireLibrary();
      }
      Check.state(
          unixSocket != null && masters > 0,
          "a Unix socket is for a standalone server: %s",
          unixSocket);
      try {
        return new EmbeddedServer(this);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
