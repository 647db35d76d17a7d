// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.lua.CompiledScript;
import dev.sheaf.embedded.internal.lua.LuaEngine;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** All nodes of one server, their slots, and the clock. Confined to the command thread. */
public final class Nodes implements CommandTime {
  /** The commands as nodes see them; their effect on nodes is hidden here. */
  public interface CommandSet {
    /** Returns the command table. */
    CommandTable table();

    /** Replays on a replica what its master has done; {@code link} is the session for that. */
    void replicate(ServerNode replica, Client link, byte[][] args);
  }

  /**
   * The script that occupies the command thread. Once it has run longer than the node's
   * busy-reply-threshold, sockets are read from within it, so that other clients get BUSY and can
   * kill it.
   */
  public static final class RunningScript {
    final ServerNode node;
    public final Client caller;

    /** Returns its name if it is a function; null for a script. */
    public final @Nullable String function;

    /** Returns the caller's command. */
    public final byte[][] command;

    private final long startedNanos = System.nanoTime();
    private final long dirtyBefore;
    private boolean killed;

    /**
     * @param function the name of the function; null for a script
     * @param command the caller's command
     */
    public RunningScript(
        ServerNode node, Client caller, @Nullable String function, byte[][] command) {
      this.node = node;
      this.caller = caller;
      this.function = function;
      this.command = command;
      this.dirtyBefore = node.dirty();
    }

    /** Returns how long it has run, by the machine's clock. */
    public long millis() {
      return (System.nanoTime() - startedNanos) / 1_000_000;
    }

    /** Returns whether it has changed data, so that it must not be killed. */
    public boolean hasWritten() {
      return node.dirty() != dirtyBefore;
    }

    public void kill() {
      killed = true;
    }

    /** Called often while the script runs. Returning true ends it. */
    public boolean poll() {
      Nodes nodes = node.nodes;
      if (nodes.isClosing()) {
        return true;
      }
      if (millis() >= node.config.busyThresholdMillis()) {
        long scriptTime = nodes.now();
        nodes.readSockets();
        nodes.now(scriptTime);
      }
      return killed;
    }
  }

  /** Whether expired keys are removed at once, not only when a command accesses them. */
  public boolean activeExpire = true;

  /** Whether scripts can run commands that are denied to them, for protocol tests. */
  public boolean scriptsMayAll;

  private static final int EXPIRY_PERIOD_MILLIS = 100;
  private static final int EXPIRY_SAMPLES = 20;
  private static final int EXPIRY_ROUNDS = 50;

  private final boolean cluster;

  /** Returns the clock itself, which can move while a command runs. */
  public final ServerClock clock;

  private final ScheduledExecutorService thread;

  /** Returns the commands for clients. */
  public final CommandSet commands;

  public final RandomGenerator random;
  private final List<ServerNode> nodes = new ArrayList<>();
  private final @Nullable ServerNode[] owners = new ServerNode[Slots.COUNT];
  private final List<BiConsumer<ServerNode, ServerNode>> failoverListeners = new ArrayList<>();
  private long now;
  private long lastClientId;
  private long epoch;
  private int assigned;
  private int failed;
  private @Nullable LuaEngine scriptEngine;
  public @Nullable RunningScript runningScript;
  private Runnable socketReader = () -> {};
  private volatile boolean closing;

  /** Listens to every command; null if nobody does. */
  public @Nullable CommandRecorder recorder;

  /** {@code thread} runs every command; {@code seed} is the seed of random choices. */
  public Nodes(
      boolean cluster,
      ServerClock clock,
      ScheduledExecutorService thread,
      CommandSet commands,
      long seed) {
    this.cluster = cluster;
    this.clock = clock;
    this.thread = thread;
    this.commands = commands;
    this.random = new SplittableRandom(seed);
    this.now = clock.millis();
  }

  public boolean isCluster() {
    return cluster;
  }

  public List<ServerNode> all() {
    return nodes;
  }

  public ServerNode add() {
    ServerNode node = new ServerNode(this, newId(), ++epoch);
    if (cluster) {
      node.config.set("cluster-enabled", "yes");
    }
    nodes.add(node);
    return node;
  }

  private String newId() {
    StringBuilder id = new StringBuilder(40);
    while (id.length() < 40) {
      id.append(Character.forDigit(random.nextInt(16), 16));
    }
    return id.toString();
  }

  public void makeReplica(ServerNode replica, ServerNode master) {
    replica.master(master);
    replica.shardId = master.shardId;
    master.replicas.add(replica);
    for (int i = 0; i < ServerNode.DATABASES; i++) {
      replica.db(i).copyFrom(master.db(i));
    }
  }

  /** Removes a node without slots. */
  public void remove(ServerNode node) {
    ServerNode master = node.master();
    if (master == null && (!cluster || !node.slots().isEmpty())) {
      throw new IllegalArgumentException(
          "node " + node.port() + " still serves " + (cluster ? "slots; move them first" : "all"));
    }
    if (!node.replicas.isEmpty()) {
      throw new IllegalArgumentException(
          "node " + node.port() + " has replicas; remove them first");
    }
    if (master != null) {
      master.replicas.remove(node);
    }
    node.failed(false);
    nodes.remove(node);
  }

  /** Gives the node the highest configuration epoch. */
  public long bumpEpoch(ServerNode node) {
    node.configEpoch = ++epoch;
    return epoch;
  }

  public long epoch() {
    return epoch;
  }

  @Override
  public ScheduledExecutorService thread() {
    return thread;
  }

  /** Returns the time of the current command, in milliseconds since the epoch. */
  @Override
  public long now() {
    return now;
  }

  /** Reads the clock. Called between commands only. */
  @Override
  public long refreshNow() {
    now = clock.millis();
    return now;
  }

  /** Resets the time to that of a running script. */
  void now(long millis) {
    now = millis;
  }

  /**
   * Returns the one interpreter for all nodes, created at the first script because it loads a
   * native library.
   *
   * @throws CommandException if the library cannot be loaded
   */
  public LuaEngine scriptEngine() {
    if (scriptEngine == null) {
      try {
        scriptEngine = new LuaEngine(commands.table().edition);
      } catch (IllegalStateException | LinkageError e) {
        throw new CommandException(
            "ERR scripts need native Lua, which cannot be loaded here: " + e.getMessage());
      }
    }
    return scriptEngine;
  }

  /** Clears the script cache of a node. */
  public void flushScripts(ServerNode node) {
    List<CompiledScript> gone = node.scripts.clear();
    if (scriptEngine != null) {
      scriptEngine.unload(gone);
    }
  }

  /** Returns whether a function is running, not a script. */
  public boolean isRunningFunction() {
    return runningScript != null && runningScript.function != null;
  }

  /** Returns whether the node, its master or one of its replicas runs a long script. */
  public boolean isHeldByScript(ServerNode node) {
    return runningScript != null && runningScript.node.primary() == node.primary();
  }

  /** {@code reader} reads all sockets once without waiting, which long scripts need. */
  public void socketReader(Runnable reader) {
    socketReader = reader;
  }

  void readSockets() {
    socketReader.run();
  }

  boolean isClosing() {
    return closing;
  }

  /** Kills a running script. Called from any thread. */
  public void beginClose() {
    closing = true;
  }

  /** Frees native memory. */
  public void close() {
    if (scriptEngine != null) {
      scriptEngine.close();
      scriptEngine = null;
    }
  }

  long nextClientId() {
    return ++lastClientId;
  }

  public @Nullable ServerNode owner(int slot) {
    return owners[slot];
  }

  public void owner(int slot, @Nullable ServerNode node) {
    assigned += (node == null ? 0 : 1) - (owners[slot] == null ? 0 : 1);
    owners[slot] = node;
  }

  /** Without full coverage, a cluster serves no key. */
  public boolean isDown() {
    return assigned < Slots.COUNT || (failed > 0 && nodes.stream().anyMatch(Nodes::leavesSlots));
  }

  void failed(int change) {
    failed += change;
  }

  private static boolean leavesSlots(ServerNode node) {
    return node.isFailed() && node.isMaster() && !node.slots().isEmpty();
  }

  /** Distributes all slots evenly, in order, as a new cluster does. */
  public void assignSlots(List<ServerNode> masters) {
    double perNode = (double) Slots.COUNT / masters.size();
    int from = 0;
    for (int i = 0; i < masters.size(); i++) {
      int to = i == masters.size() - 1 ? Slots.COUNT : (int) Math.round(perNode * (i + 1));
      for (int slot = from; slot < to; slot++) {
        owner(slot, masters.get(i));
      }
      from = to;
    }
  }

  public int assignedSlots() {
    return assigned;
  }

  /** Called at each failover with the former master and the new one. */
  public void onFailover(BiConsumer<ServerNode, ServerNode> listener) {
    failoverListeners.add(listener);
  }

  public @Nullable ServerNode byId(String id) {
    for (ServerNode node : nodes) {
      if (node.id.equals(id)) {
        return node;
      }
    }
    return null;
  }

  /** Gives the master's role and slots to the replica. The master becomes its replica. */
  public void failover(ServerNode replica) {
    ServerNode old = replica.master();
    if (old == null) {
      throw new IllegalArgumentException(
          "node " + replica.port() + " is a master; only a replica can take over");
    }
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      if (owners[slot] == old) {
        owners[slot] = replica;
      }
    }
    List<ServerNode> others = new ArrayList<>(old.replicas);
    old.replicas.clear();
    replica.master(null);
    replica.configEpoch = ++epoch;
    for (ServerNode other : others) {
      if (other != replica) {
        makeReplica(other, replica);
      }
    }
    makeReplica(old, replica);
    failoverListeners.forEach(listener -> listener.accept(old, replica));
    old.blocked.failAll(
        "UNBLOCKED force unblock from blocking operation, instance state changed (master ->"
            + " replica?)");
  }

  /** Starts the periodic tasks of a server. */
  public void startHousekeeping() {
    var unused =
        thread.scheduleWithFixedDelay(
            this::housekeeping, EXPIRY_PERIOD_MILLIS, EXPIRY_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void housekeeping() {
    refreshNow();
    for (ServerNode node : nodes) {
      node.blocked.expire(now);
      node.pause.endIfDue(now);
      for (Database db : node.databases) {
        expireSome(db);
      }
      node.blocked.serveReady();
      node.visitIdle();
    }
  }

  private void expireSome(Database db) {
    if (!activeExpire) {
      return;
    }
    if (db.partlyMortalSize() > 0) {
      db.expireSomeFields(EXPIRY_SAMPLES, random);
    }
    if (db.mortalSize() == 0) {
      return;
    }
    int due = EXPIRY_SAMPLES;
    for (int round = 0; round < EXPIRY_ROUNDS && due > EXPIRY_SAMPLES / 4; round++) {
      due = db.expireSome(EXPIRY_SAMPLES, random);
    }
  }

  /** Runs the periodic tasks for which time was advanced. */
  public void timeMoved() {
    refreshNow();
    for (ServerNode node : nodes) {
      node.blocked.expire(now);
      node.pause.endIfDue(now);
      if (activeExpire) {
        node.databases.forEach(Database::expireAll);
      }
    }
  }
}
