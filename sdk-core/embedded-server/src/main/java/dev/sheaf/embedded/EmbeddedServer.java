package dev.sheaf.embedded;

import dev.sheaf.embedded.data.Slots;
import dev.sheaf.embedded.net.Listener;
import dev.sheaf.embedded.node.CommandRecorder;
import dev.sheaf.embedded.node.Nodes;
import dev.sheaf.embedded.node.Sentinel;
import dev.sheaf.embedded.node.ServerClock;
import dev.sheaf.embedded.node.ServerNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  /** How long a port that was closed a moment ago may take to be free again. */
  private static final Duration REOPEN_TIMEOUT = Duration.ofSeconds(2);

  private static final int REOPEN_RETRY_MILLIS = 5;

  private final Listener listener;
  private final Nodes nodes;
  private final List<EmbeddedNode> wrappers = new CopyOnWriteArrayList<>();
  private final EmbeddedClock clock;
  private final @Nullable String password;
  private final Runnable timeMoved;
  private @Nullable String sentinelUri;
  private int sentinelPort;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Faults faults = new Faults(this);
  private final CommandLog log = new CommandLog(this);

  private EmbeddedServer(Builder builder) throws IOException {
    clock = builder.clock;
    password = builder.password;
    listener = new Listener(builder.epoll);
    nodes = new Nodes(builder.masters > 0, new ClockOf(clock), listener.thread(), builder.seed);
    nodes.socketReader(listener::readSockets);
    timeMoved =
        () ->
            call(
                () -> {
                  nodes.timeMoved();
                  return true;
                });
    try {
      open(builder);
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
    List<ServerNode> created = call(() -> create(builder));
    for (int i = 0; i < created.size(); i++) {
      openPort(created.get(i), builder.port == 0 ? 0 : builder.port + i);
    }
    String watchedName = builder.sentinelOf;
    if (watchedName != null) {
      openSentinel(watchedName);
    }
    Path socket = builder.unixSocket;
    if (socket != null) {
      created.get(0).config().set("unixsocket", socket.toString());
      listener.listen(created.get(0), socket);
    }
  }

  private void openSentinel(String masterName) throws IOException {
    Nodes own = new Nodes(false, new ClockOf(clock), listener.thread(), 0);
    ServerNode sentinel =
        call(
            () -> {
              ServerNode node = own.add();
              node.sentinel(new Sentinel(node, masterName, nodes));
              return node;
            });
    int port = listener.listen(sentinel, 0);
    call(
        () -> {
          sentinel.port(port);
          return true;
        });
    sentinelUri = "redis-sentinel://127.0.0.1:" + port + "#" + masterName;
    sentinelPort = port;
  }

  private EmbeddedNode openPort(ServerNode node, int wantedPort) throws IOException {
    int port = listener.listen(node, wantedPort);
    call(
        () -> {
          node.port(port);
          node.config().set("port", Integer.toString(port));
          return true;
        });
    EmbeddedNode wrapper = new EmbeddedNode(this, node);
    wrappers.add(wrapper);
    return wrapper;
  }

  private List<ServerNode> create(Builder builder) {
    int masters = Math.max(1, builder.masters);
    List<ServerNode> all = new ArrayList<>();
    for (int i = 0; i < masters; i++) {
      all.add(nodes.add());
    }
    if (nodes.isCluster()) {
      nodes.assignSlots(all);
    }
    for (int r = 0; r < builder.replicasPerMaster; r++) {
      for (int i = 0; i < masters; i++) {
        ServerNode replica = nodes.add();
        nodes.makeReplica(replica, all.get(i));
        all.add(replica);
      }
    }
    all.forEach(this::requirePassword);
    nodes.startHousekeeping();
    return all;
  }

  private void requirePassword(ServerNode node) {
    if (password != null) {
      node.config().set("requirepass", password);
      node.users().requirePassword(password.getBytes(StandardCharsets.UTF_8));
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
    return wrappers.get(0).port();
  }

  /** {@code redis://127.0.0.1:port} of the first node, with the password if there is one. */
  public String uri() {
    return uri(port());
  }

  String uri(int port) {
    String user =
        password == null
            ? ""
            : ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@";
    return "redis://" + user + "127.0.0.1:" + port;
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
    return List.copyOf(wrappers);
  }

  EmbeddedNode wrap(ServerNode node) {
    for (EmbeddedNode wrapper : wrappers) {
      if (wrapper.node() == node) {
        return wrapper;
      }
    }
    throw new IllegalArgumentException("no node " + node.id());
  }

  public EmbeddedClock clock() {
    return clock;
  }

  /** What all nodes have counted, summed. */
  public NodeStats stats() {
    return wrappers.stream().map(EmbeddedNode::stats).reduce(NodeStats::plus).orElseThrow();
  }

  /** Starts counting anew on every node. */
  public void resetStats() {
    wrappers.forEach(EmbeddedNode::resetStats);
  }

  /** Faults on demand. */
  public Faults faults() {
    return faults;
  }

  /** The commands that ran; it records once started. */
  public CommandLog log() {
    return log;
  }

  void record(@Nullable CommandRecorder recorder) {
    call(
        () -> {
          nodes.recorder(recorder);
          return true;
        });
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
    if (database < 0 || database >= ServerNode.DATABASES || isCluster() && database != 0) {
      throw new IllegalArgumentException("databases are 0 to 15, in a cluster only 0: " + database);
    }
    return new EmbeddedData(this, database);
  }

  /** The master that has a key; the first master of a standalone server. On the command thread. */
  ServerNode ownerOf(byte[] key) {
    if (!isCluster()) {
      return nodes.all().stream().filter(ServerNode::isMaster).findFirst().orElseThrow();
    }
    ServerNode owner = nodes.owner(Slots.of(key));
    if (owner == null) {
      throw new IllegalStateException("no node serves slot " + Slots.of(key));
    }
    return owner;
  }

  /** Copies the data of all nodes. */
  public Snapshot snapshot() {
    return call(() -> new Snapshot(nodes.all()));
  }

  /** Puts the data back, on all nodes at once; nodes that came later are emptied. */
  public void restore(Snapshot snapshot) {
    call(
        () -> {
          snapshot.restore(nodes.all());
          return true;
        });
  }

  /** Restarts all nodes; see {@link EmbeddedNode#restart}. */
  public void restart() {
    wrappers.forEach(EmbeddedNode::restart);
  }

  /**
   * A new master without slots joins the cluster.
   *
   * @throws IllegalStateException on a standalone server
   * @throws UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addMaster() {
    if (!isCluster()) {
      throw new IllegalStateException("a standalone server has one master");
    }
    return join(null);
  }

  /**
   * A new replica of a master joins, with a copy of its data.
   *
   * @throws IllegalArgumentException if {@code master} is a replica itself
   * @throws UncheckedIOException if no port can be opened
   */
  public EmbeddedNode addReplica(EmbeddedNode master) {
    if (!master.isMaster()) {
      throw new IllegalArgumentException("not a master: " + master);
    }
    return join(master.node());
  }

  private EmbeddedNode join(@Nullable ServerNode master) {
    ServerNode added =
        call(
            () -> {
              ServerNode node = nodes.add();
              requirePassword(node);
              if (master != null) {
                nodes.makeReplica(node, master);
              }
              return node;
            });
    try {
      return openPort(added, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Takes a node out for good: its connections and its port are closed, and the others forget it.
   *
   * @throws IllegalArgumentException if it still serves slots, or is a standalone master
   */
  public void remove(EmbeddedNode node) {
    call(
        () -> {
          nodes.remove(node.node());
          return true;
        });
    node.closeSockets();
    wrappers.remove(node);
  }

  void unlisten(ServerNode node) {
    listener.unlisten(node);
  }

  /** Opens the port of a node again, which the system may still be closing. */
  void listen(ServerNode node) {
    long deadline = System.nanoTime() + REOPEN_TIMEOUT.toNanos();
    while (true) {
      try {
        listener.listen(node, node.port());
        return;
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new UncheckedIOException(e);
        }
        pauseBeforeRetry();
      }
    }
  }

  private static void pauseBeforeRetry() {
    try {
      TimeUnit.MILLISECONDS.sleep(REOPEN_RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a port was opened again", e);
    }
  }

  /** As {@link EmbeddedNode#announcePort}. */
  public void announce(EmbeddedNode node, int port) {
    call(
        () -> {
          node.node().announcedPort(port);
          return true;
        });
  }

  /**
   * Begins to move a slot: until {@link #finishMigration} the giving node answers ASK for keys it
   * no longer holds.
   *
   * @throws IllegalArgumentException if {@code from} does not serve the slot, or a node is no
   *     master
   */
  public void beginMigration(int slot, EmbeddedNode from, EmbeddedNode to) {
    call(
        () -> {
          SlotMigration.begin(nodes, slot, from.node(), to.node());
          return true;
        });
  }

  /** Moves up to {@code max} keys of a slot under migration; returns how many moved. */
  public int migrateKeys(int slot, int max) {
    return call(() -> SlotMigration.moveKeys(nodes, slot, max));
  }

  /** Moves the remaining keys and gives the slot to its new owner. */
  public void finishMigration(int slot) {
    call(
        () -> {
          SlotMigration.finish(nodes, slot);
          return true;
        });
  }

  /** Moves a slot with all its keys at once. */
  public void migrateSlot(int slot, EmbeddedNode from, EmbeddedNode to) {
    call(
        () -> {
          SlotMigration.begin(nodes, slot, from.node(), to.node());
          SlotMigration.finish(nodes, slot);
          return true;
        });
  }

  /**
   * The replica takes over from its master, which becomes its replica.
   *
   * @throws IllegalArgumentException if the node is a master
   */
  public void failover(EmbeddedNode replica) {
    call(
        () -> {
          nodes.failover(replica.node());
          return true;
        });
  }

  /** Runs something on the command thread and waits for its outcome. */
  <T> T call(Callable<T> work) {
    try {
      if (listener.isThread()) {
        return work.call();
      }
      Future<T> outcome = listener.thread().submit(work);
      return outcome.get(CALL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException("the embedded server is closed", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "the command thread was busy for more than CALL_TIMEOUT = " + CALL_TIMEOUT, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the command thread", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Closes all connections and ports; returns within seconds. Calling it again does nothing. */
  @Override
  public void close() {
    clock.forget(timeMoved);
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    nodes.beginClose();
    call(
        () -> {
          nodes.close();
          return true;
        });
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
    private EmbeddedClock clock = EmbeddedClock.system();
    private long seed = System.nanoTime();

    private Builder() {}

    /**
     * The TCP port; 0 (the default) takes a free one. A cluster takes consecutive ports from here.
     *
     * @throws IllegalArgumentException outside 0 to 65535
     */
    public Builder port(int newPort) {
      if (newPort < 0 || newPort > MAX_PORT) {
        throw new IllegalArgumentException("port must be 0 to 65535: " + newPort);
      }
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
      if (mastersWanted < 1 || mastersWanted > Slots.COUNT || replicas < 0) {
        throw new IllegalArgumentException(
            "a cluster needs 1 to 16384 masters and 0 or more replicas each: "
                + mastersWanted
                + ", "
                + replicas);
      }
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
      if (perMaster < 0) {
        throw new IllegalArgumentException("replicas must be 0 or more: " + perMaster);
      }
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
     * @throws UncheckedIOException if a socket cannot be opened
     * @throws IllegalStateException if epoll is wanted and not there, or a Unix socket is asked of
     *     a cluster
     */
    public EmbeddedServer start() {
      if (unixSocket != null && masters > 0) {
        throw new IllegalStateException("a Unix socket is for a standalone server: " + unixSocket);
      }
      try {
        return new EmbeddedServer(this);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
