// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.net.Listener;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerClock;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.CommandTable;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The nodes of a server and their ports: creation, listening, joining and removal. */
final class Topology {
  /** How long a closed port may take to become free. */
  private static final Duration REOPEN_TIMEOUT = Duration.ofSeconds(2);

  private static final int REOPEN_RETRY_MILLIS = 5;

  private final Listener listener;
  private final CommandThread thread;
  private final Nodes nodes;
  private final List<EmbeddedNode> wrappers = new CopyOnWriteArrayList<>();
  private final @Nullable String password;
  private final @Nullable Duration compressIdleAfter;

  Topology(
      Listener listener,
      CommandThread thread,
      Nodes nodes,
      @Nullable String password,
      @Nullable Duration compressIdleAfter) {
    this.listener = listener;
    this.thread = thread;
    this.nodes = nodes;
    this.password = password;
    this.compressIdleAfter = compressIdleAfter;
  }

  /** Opens consecutive ports from the first one, or free ones for port 0. */
  void open(int masters, int replicasPerMaster, int firstPort, @Nullable Path socket)
      throws IOException {
    List<ServerNode> created = thread.call(() -> create(Math.max(1, masters), replicasPerMaster));
    for (int i = 0; i < created.size(); i++) {
      openPort(created.get(i), firstPort == 0 ? 0 : firstPort + i);
    }
    if (socket != null) {
      created.get(0).config.set("unixsocket", socket.toString());
      listener.listen(created.get(0), socket);
    }
  }

  private List<ServerNode> create(int masters, int replicasPerMaster) {
    List<ServerNode> all = new ArrayList<>();
    for (int i = 0; i < masters; i++) {
      all.add(nodes.add());
    }
    if (nodes.isCluster()) {
      nodes.assignSlots(all);
    }
    for (int r = 0; r < replicasPerMaster; r++) {
      for (int i = 0; i < masters; i++) {
        ServerNode replica = nodes.add();
        nodes.makeReplica(replica, all.get(i));
        all.add(replica);
      }
    }
    all.forEach(this::configure);
    nodes.startHousekeeping();
    return all;
  }

  private void configure(ServerNode node) {
    if (password != null) {
      node.config.set("requirepass", password);
      node.users.requirePassword(password.getBytes(StandardCharsets.UTF_8));
    }
    if (compressIdleAfter != null) {
      node.compressIdle(compressIdleAfter.toMillis());
    }
  }

  private EmbeddedNode openPort(ServerNode node, int wantedPort) throws IOException {
    int port = listener.listen(node, wantedPort);
    thread.run(
        () -> {
          node.port(port);
          node.config.set("port", Integer.toString(port));
        });
    EmbeddedNode wrapper = new EmbeddedNode(this, node);
    wrappers.add(wrapper);
    return wrapper;
  }

  String uri(int port) {
    String user =
        password == null
            ? ""
            : ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@";
    return "redis://" + user + "127.0.0.1:" + port;
  }

  /**
   * Returns the master of a key; on a standalone server the first master. Called on the command
   * thread.
   */
  ServerNode ownerOf(byte[] key) {
    if (!nodes.isCluster()) {
      return nodes.all().stream().filter(ServerNode::isMaster).findFirst().orElseThrow();
    }
    ServerNode owner = nodes.owner(Slots.of(key));
    if (owner == null) {
      throw new IllegalStateException("no node serves slot " + Slots.of(key));
    }
    return owner;
  }

  /** Runs a task on the command thread and waits for its result. */
  <T> T call(Callable<T> work) {
    return thread.call(work);
  }

  /** Runs a task on the command thread and waits for it. */
  void run(Runnable work) {
    thread.run(work);
  }

  /** Returns the command table. */
  CommandTable commands() {
    return nodes.commands.table();
  }

  /** Starts a sentinel that watches the nodes. Returns its port. */
  int openSentinel(String masterName, ServerClock clock) throws IOException {
    Nodes own = new Nodes(false, clock, listener.thread(), nodes.commands, 0);
    ServerNode sentinel =
        thread.call(
            () -> {
              ServerNode node = own.add();
              node.sentinel = new ServerNode.Watch(masterName, nodes);
              nodes.onFailover((from, to) -> announceSwitch(node, masterName, from, to));
              return node;
            });
    int port = listener.listen(sentinel, 0);
    thread.run(() -> sentinel.port(port));
    return port;
  }

  private static void announceSwitch(
      ServerNode sentinel, String masterName, ServerNode from, ServerNode to) {
    String message = masterName + " " + address(from) + " " + address(to);
    sentinel.pubSub.publish(Bytes.of("+switch-master"), Bytes.of(message));
  }

  private static String address(ServerNode node) {
    return node.announcedHost() + " " + node.announcedPort;
  }

  /** Returns a copy. */
  List<EmbeddedNode> wrappers() {
    return List.copyOf(wrappers);
  }

  EmbeddedNode wrap(ServerNode node) {
    for (EmbeddedNode wrapper : wrappers) {
      if (wrapper.node() == node) {
        return wrapper;
      }
    }
    throw new IllegalArgumentException("no node " + node.id);
  }

  /** Adds a node on a free port: a replica of the master, or a master without slots. */
  EmbeddedNode join(@Nullable ServerNode master) {
    ServerNode added =
        thread.call(
            () -> {
              ServerNode node = nodes.add();
              configure(node);
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

  void remove(EmbeddedNode node) {
    thread.run(() -> nodes.remove(node.node()));
    node.closeSockets();
    wrappers.remove(node);
  }

  void failover(ServerNode replica) {
    thread.run(() -> nodes.failover(replica));
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
}
