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

/** One server process, so to speak: its databases, its clients, and its place in the cluster. */
public final class ServerNode implements Database.Listener {
  public static final int DATABASES = 16;

  /**
   * What a sentinel watches.
   *
   * @param masterName how clients ask for it
   * @param nodes among which the master is found
   */
  public record Watch(String masterName, Nodes nodes) {
    public ServerNode master() {
      return nodes.all().stream().filter(ServerNode::isMaster).findFirst().orElseThrow();
    }
  }

  public final Nodes nodes;
  public final String id;

  /** The id that a master shares with its replicas, also once one of them has taken over. */
  public String shardId;

  public final List<Database> databases = new ArrayList<>();
  public final Map<Long, Client> clients = new LinkedHashMap<>();

  /** What compresses idle strings, for each database; empty where nothing does. */
  public final List<IdleStrings> idle = new ArrayList<>();

  public final WatchedKeys watched = new WatchedKeys();
  public final BlockedClients blocked = new BlockedClients();
  public final PubSub pubSub = new PubSub();

  /** What is known of each command. */
  public final CommandTable commands;

  public Counters counters = new Counters();
  public final FaultRules faults = new FaultRules();
  public final Config config = new Config();

  /** The setting maxmemory. */
  public final MemoryLimit memory;

  public final Scripts scripts = new Scripts();
  public final Functions functions = new Functions();
  private final Client masterLink;
  public final List<ServerNode> replicas = new ArrayList<>();

  /** Slots this node gives away, by number, with the node that takes each. */
  public final Map<Integer, ServerNode> migrating = new LinkedHashMap<>();

  /** Slots this node takes over, by number, with the node that gives each. */
  public final Map<Integer, ServerNode> importing = new LinkedHashMap<>();

  private final KeyspaceEvents events = new KeyspaceEvents();
  public final Tracking tracking;

  /** CLIENT PAUSE. */
  public final ClientPause pause;

  public final AclUsers users;

  /** What its users were denied. */
  public final AclLog deniedLog = new AclLog();

  public final SlowLog slowLog = new SlowLog();
  public final LatencyEvents latencyEvents = new LatencyEvents();

  /** Who has said MONITOR. */
  public final Set<Client> monitors = new LinkedHashSet<>();

  /** Whose command runs now; null between commands. */
  public @Nullable Client running;

  /** What it watches if it is a sentinel; null for a server with data. */
  public @Nullable Watch sentinel;

  private boolean frozen;
  private boolean failed;
  private @Nullable ServerNode master;
  private int port;

  /** The port this node tells clients, for a proxy in front of it. */
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

  /** SWAPDB: the clients of each database find the other one's data. */
  public void swap(int first, int second) {
    watched.swapping(databases.get(first), databases.get(second));
    databases.get(first).swap(databases.get(second));
    memory.recount();
    blocked.recheckAll();
  }

  /** From now on strings that are idle for so long are compressed. */
  public void compressIdle(long idleMillis) {
    databases.forEach(db -> idle.add(new IdleStrings(db, idleMillis)));
  }

  void visitIdle() {
    idle.forEach(IdleStrings::visit);
  }

  /** The server it behaves as. */
  public Edition edition() {
    return commands.edition;
  }

  /** The settings of the memory may have changed. */
  public void memoryConfigured() {
    memory.configured();
    hasRoom();
  }

  /** Whether data may be added; removes keys for that, as the settings say. */
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

  /** How it names the encodings of values now. */
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

  /** For a replica its master, for a master itself. */
  public ServerNode primary() {
    return master == null ? this : master;
  }

  /** The slots this node serves as master. */
  public BitSet slots() {
    BitSet slots = new BitSet(Slots.COUNT);
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      if (nodes.owner(slot) == this) {
        slots.set(slot);
      }
    }
    return slots;
  }

  /** A new session. */
  public Client connect(Connection connection) {
    Client client =
        new Client(nodes.nextClientId(), users.standard, connection, nodes.refreshNow());
    client.authenticated = users.standard.accepts("");
    clients.put(client.id, client);
    counters.connections++;
    return client;
  }

  /** A session for the commands of a script that a client runs; each of its scripts has it. */
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

  /** Ends the client's transaction, its watches included. */
  public void closeTransaction(Client client) {
    client.dropQueue();
    watched.unwatchAll(client);
  }

  /** RESET: as if newly connected. */
  public void reset(Client client) {
    closeTransaction(client);
    pubSub.unsubscribeEverything(client);
    monitors.remove(client);
    tracking.disable(client);
    client.reset(users.standard);
  }

  /** Forgets the session and everything that hangs on it. */
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

  /** Clients that wait for the key look again, though it has not changed. */
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

  /** A frozen node reads nothing and runs nothing, as a stopped process. */
  public boolean isFrozen() {
    return frozen;
  }

  public void frozen(boolean yes) {
    frozen = yes;
    List.copyOf(clients.values()).forEach(Client::resume);
  }

  /** Whether the node is down, as the other nodes of a cluster see it. */
  public boolean isFailed() {
    return failed;
  }

  public void failed(boolean yes) {
    if (failed != yes) {
      nodes.failed(yes ? 1 : -1);
    }
    failed = yes;
  }

  /** A session of no connection, for looking at the data from inside. */
  public Client directSession() {
    Client session = new Client(0, users.standard, null, nodes.now());
    session.authenticated = true;
    return session;
  }

  public boolean announcesEvents() {
    return !events.isOff();
  }

  /** Publishes a keyspace event, if its class is wanted. */
  public void announce(char eventClass, String event, int dbIndex, byte[] key) {
    if (!events.isOff()) {
      events.announce(pubSub, eventClass, event, dbIndex, key);
    }
  }

  /** Takes the setting notify-keyspace-events. */
  public void announceEvents(String setting) {
    events.set(setting);
  }

  /** Counts a change to the data. */
  public void dirtied() {
    dirty++;
  }

  /** Grows with every change to the data. */
  public long dirty() {
    return dirty;
  }

  /** Has the replicas do the same to their copy of the data. */
  public void propagate(int dbIndex, byte[][] args) {
    replicationOffset++;
    for (ServerNode replica : replicas) {
      replica.replicationOffset++;
      replica.masterLink.dbIndex = dbIndex;
      nodes.commands.replicate(replica, replica.masterLink, args);
    }
  }
}
