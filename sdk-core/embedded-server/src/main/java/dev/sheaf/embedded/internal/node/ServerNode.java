// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.acl.AclLog;
import dev.sheaf.embedded.internal.acl.AclUsers;
import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.Encodings;
import dev.sheaf.embedded.internal.data.IdleStrings;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One server node: its databases, its clients, and its place in the cluster. */
public final class ServerNode implements Database.Listener {
  public static final int DATABASES = 16;

  /**
   * The primary that a sentinel watches.
   *
   * @param masterName the name that clients ask for
   * @param nodes the nodes among which the master is found
   */
  public record Watch(String masterName, Nodes nodes) {
    public ServerNode master() {
      return nodes.all().stream().filter(ServerNode::isMaster).findFirst().orElseThrow();
    }
  }

  public final Nodes nodes;
  public final String id;

  /** The replication id of a master and its replicas, kept after a failover. */
  public String shardId;

  public final List<Database> databases = new ArrayList<>();
  public final Map<Long, Client> clients = new LinkedHashMap<>();

  /** Compresses idle strings, for each database; empty if that is off. */
  public final List<IdleStrings> idle = new ArrayList<>();

  public final WatchedKeys watched = new WatchedKeys();
  public final BlockedClients blocked = new BlockedClients();
  public final PubSub pubSub = new PubSub();

  /** Returns the command table. */
  public final CommandTable commands;

  public Counters counters = new Counters();
  public final FaultRules faults = new FaultRules();
  public final Config config = new Config();

  /** The maxmemory limit. */
  public final MemoryLimit memory;

  public final Scripts scripts = new Scripts();
  public final Functions functions = new Functions();
  private final Client masterLink;
  public final List<ServerNode> replicas = new ArrayList<>();

  /** Slots that are migrating away, with their targets. */
  public final Map<Integer, ServerNode> migrating = new LinkedHashMap<>();

  /** Slots that are being imported, with their sources. */
  public final Map<Integer, ServerNode> importing = new LinkedHashMap<>();

  private final KeyspaceEvents events = new KeyspaceEvents();
  public final Tracking tracking;

  /** CLIENT PAUSE. */
  public final ClientPause pause;

  public final AclUsers users;

  /** Refused actions of its users. */
  public final AclLog deniedLog = new AclLog();

  public final SlowLog slowLog = new SlowLog();
  public final LatencyEvents latencyEvents = new LatencyEvents();

  /** The clients in MONITOR mode. */
  public final Set<Client> monitors = new LinkedHashSet<>();

  /** The client whose command is running; null between commands. */
  public @Nullable Client running;

  /** The primary it watches as a sentinel; null for a server with data. */
  public @Nullable Watch sentinel;

  private boolean frozen;
  private boolean failed;
  private @Nullable ServerNode master;
  private int port;

  /** The port this node reports to clients, for a proxy in front of it. */
  public int announcedPort;

  private long dirty;
  private long replicationOffset;
  public long configEpoch;
  public final long startedAt;

  ServerNode(Nodes nodes, String id, long configEpoch) {
    this.nodes = nodes;
    this.commands = nodes.commands.table();
    this.users = new AclUsers(commands);
    this.tracking =
        new Tracking(nodes.thread(), clients::get, () -> config.number("tracking-table-max-keys"));
    this.pause = new ClientPause(nodes, clients::values);
    this.memory = new MemoryLimit(config, databases, nodes.random, this::evict);
    this.id = id;
    this.shardId = new StringBuilder(id).reverse().toString();
    this.configEpoch = configEpoch;
    this.startedAt = nodes.now();
    for (int i = 0; i < DATABASES; i++) {
      databases.add(new Database(i, nodes::now, this, nodes.isCluster() && i == 0));
    }
    masterLink = new Client(0, users.standard, null, nodes.now());
    masterLink.authenticated = true;
  }

  public int port() {
    return port;
  }

  public void port(int listening) {
    port = listening;
    if (announcedPort == 0) {
      announcedPort = listening;
    }
  }

  public String announcedHost() {
    return "127.0.0.1";
  }

  public Database db(int index) {
    return databases.get(index);
  }

  /** SWAPDB: the clients of each database get the other one's data. */
  public void swap(int first, int second) {
    watched.swapping(databases.get(first), databases.get(second));
    databases.get(first).swap(databases.get(second));
    memory.recount();
    blocked.recheckAll();
  }

  /** Compresses strings that have been idle this long. */
  public void compressIdle(long idleMillis) {
    databases.forEach(db -> idle.add(new IdleStrings(db, idleMillis)));
  }

  void visitIdle() {
    idle.forEach(IdleStrings::visit);
  }

  /** Returns the server whose behaviour it has. */
  public Edition edition() {
    return commands.edition;
  }

  /** Called when memory settings may have changed. */
  public void memoryConfigured() {
    memory.configured();
    hasRoom();
  }

  /** Returns whether data can be added, after evicting keys as the settings say. */
  public boolean hasRoom() {
    return !isMaster() || memory.hasRoom();
  }

  private void evict(Database db, byte[] key) {
    db.remove(key);
    db.changed(key);
    dirtied();
    counters.evictedKeys++;
    announce('e', "evicted", db.index, key);
    if (!replicas.isEmpty()) {
      propagate(db.index, new byte[][] {Bytes.of("DEL"), key});
    }
  }

  /** Returns how it names the encodings of values now. */
  public Encodings encodings() {
    return new Encodings(
        edition().isNewer(),
        config.number("hash-max-listpack-entries"),
        config.number("hash-max-listpack-value"),
        config.number("zset-max-listpack-entries"),
        config.number("zset-max-listpack-value"));
  }

  public long replicationOffset() {
    return replicationOffset;
  }

  public @Nullable ServerNode master() {
    return master;
  }

  public boolean isMaster() {
    return master == null;
  }

  void master(@Nullable ServerNode newMaster) {
    master = newMaster;
  }

  /** Returns the master of a replica, or a master itself. */
  public ServerNode primary() {
    return master == null ? this : master;
  }

  /** Returns the slots this node serves as master. */
  public BitSet slots() {
    BitSet slots = new BitSet(Slots.COUNT);
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      if (nodes.owner(slot) == this) {
        slots.set(slot);
      }
    }
    return slots;
  }

  /** Creates a session. */
  public Client connect(Connection connection) {
    Client client =
        new Client(nodes.nextClientId(), users.standard, connection, nodes.refreshNow());
    client.authenticated = users.standard.accepts("");
    clients.put(client.id, client);
    counters.connections++;
    return client;
  }

  /**
   * Creates a session for the commands of a client's script; all of that client's scripts use it.
   */
  public Client scriptSession(Client caller) {
    Client session = caller.scriptSession;
    if (session == null) {
      session = new Client(caller.id, users.standard, null, nodes.now());
      session.authenticated = true;
      caller.scriptSession = session;
    }
    session.user = caller.user;
    session.dbIndex = caller.dbIndex;
    session.protocol(2);
    return session;
  }

  /** Discards the client's transaction and its watches. */
  public void closeTransaction(Client client) {
    client.dropQueue();
    watched.unwatchAll(client);
  }

  /** RESET: restores the state of a new connection. */
  public void reset(Client client) {
    closeTransaction(client);
    pubSub.unsubscribeEverything(client);
    monitors.remove(client);
    tracking.disable(client);
    client.reset(users.standard);
  }

  /** Removes the session and everything that depends on it. */
  public void disconnect(Client client) {
    clients.remove(client.id);
    watched.unwatchAll(client);
    pubSub.unsubscribeEverything(client);
    monitors.remove(client);
    tracking.disable(client);
    pause.forget(client);
    BlockedClient wait = client.blocked;
    if (wait != null) {
      blocked.forget(wait);
    }
  }

  @Override
  public void added(Database db, byte[] key) {
    announce('n', "new", db.index, key);
  }

  @Override
  public void changed(Database db, byte[] key) {
    memory.changed(db, key);
    watched.changed(db, key);
    blocked.changed(db, key);
    tracking.changed(running, key);
  }

  /** Makes clients that wait for the key check it again, although it has not changed. */
  public void recheckBlocked(Database db, byte[] key) {
    blocked.changed(db, key);
  }

  @Override
  public void expired(Database db, byte[] key) {
    counters.expiredKeys++;
    memory.changed(db, key);
    watched.changed(db, key);
    blocked.changed(db, key);
    tracking.changed(null, key);
    announce('x', "expired", db.index, key);
  }

  @Override
  public void fieldsExpired(Database db, byte[] key, boolean emptied) {
    counters.expiredFields++;
    changed(db, key);
    announce('h', "hexpired", db.index, key);
    if (emptied) {
      announce('g', "del", db.index, key);
    }
  }

  @Override
  public void cleared(Database db, ByteMap<?> gone) {
    for (var e = gone.first(); e != null; e = e.after()) {
      watched.changed(db, e.key);
      blocked.changed(db, e.key);
    }
    memory.recount();
  }

  /** A frozen node reads and runs nothing, like a suspended process. */
  public boolean isFrozen() {
    return frozen;
  }

  public void frozen(boolean yes) {
    frozen = yes;
    List.copyOf(clients.values()).forEach(Client::resume);
  }

  /** Returns whether other nodes of a cluster see the node as down. */
  public boolean isFailed() {
    return failed;
  }

  public void failed(boolean yes) {
    if (failed != yes) {
      nodes.failed(yes ? 1 : -1);
    }
    failed = yes;
  }

  /** Creates a session without a connection, for direct access to the data. */
  public Client directSession() {
    Client session = new Client(0, users.standard, null, nodes.now());
    session.authenticated = true;
    return session;
  }

  public boolean announcesEvents() {
    return !events.isOff();
  }

  /** Publishes a keyspace event if its class is enabled. */
  public void announce(char eventClass, String event, int dbIndex, byte[] key) {
    if (!events.isOff()) {
      events.announce(pubSub, eventClass, event, dbIndex, key);
    }
  }

  /** Applies the setting notify-keyspace-events. */
  public void announceEvents(String setting) {
    events.set(setting);
  }

  /** Counts a change of the data. */
  public void dirtied() {
    dirty++;
  }

  /** Returns a number that grows with every change of the data. */
  public long dirty() {
    return dirty;
  }

  /** Replays a command on the replicas. */
  public void propagate(int dbIndex, byte[][] args) {
    replicationOffset++;
    for (ServerNode replica : replicas) {
      replica.replicationOffset++;
      replica.masterLink.dbIndex = dbIndex;
      nodes.commands.replicate(replica, replica.masterLink, args);
    }
  }
}
