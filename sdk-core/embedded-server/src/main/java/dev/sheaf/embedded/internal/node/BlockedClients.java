// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Database;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The clients of one node that wait in blocking commands, served per key in order of arrival. */
public final class BlockedClients {
  private record Ready(int dbIndex, byte[] key) {}

  private final Map<Integer, ByteMap<Set<BlockedClient>>> waiting = new TreeMap<>();
  private final Set<BlockedClient> all = new LinkedHashSet<>();
  private final ArrayDeque<Ready> ready = new ArrayDeque<>();
  private boolean serving;

  public int size() {
    return all.size();
  }

  public void block(BlockedClient wait) {
    all.add(wait);
    wait.client().blocked = wait;
    ByteMap<Set<BlockedClient>> keys =
        waiting.computeIfAbsent(wait.dbIndex(), i -> new ByteMap<>());
    for (byte[] key : wait.keys()) {
      keys.computeIfAbsent(key, LinkedHashSet::new).add(wait);
    }
  }

  /** Removes a waiting client without a reply. */
  public void forget(BlockedClient wait) {
    all.remove(wait);
    wait.client().blocked = null;
    ByteMap<Set<BlockedClient>> keys = waiting.get(wait.dbIndex());
    for (byte[] key : wait.keys()) {
      Set<BlockedClient> queue = keys == null ? null : keys.get(key);
      if (queue != null && keys != null) {
        queue.remove(wait);
        if (queue.isEmpty()) {
          keys.remove(key);
        }
      }
    }
  }

  /** Records that the key may be able to serve a waiting client. */
  void changed(Database db, byte[] key) {
    if (all.isEmpty()) {
      return;
    }
    ByteMap<Set<BlockedClient>> keys = waiting.get(db.index);
    if (keys != null && keys.contains(key)) {
      ready.add(new Ready(db.index, key));
    }
  }

  /** Records that every awaited key may have become ready. */
  void recheckAll() {
    for (BlockedClient wait : all) {
      wait.keys().forEach(key -> ready.add(new Ready(wait.dbIndex(), key)));
    }
  }

  /** Serves clients whose keys are ready. Called between commands, never inside one. */
  public void serveReady() {
    if (serving || ready.isEmpty()) {
      return;
    }
    serving = true;
    try {
      for (Ready next = ready.poll(); next != null; next = ready.poll()) {
        serve(next);
      }
    } finally {
      serving = false;
    }
  }

  private void serve(Ready next) {
    ByteMap<Set<BlockedClient>> keys = waiting.get(next.dbIndex());
    Set<BlockedClient> queue = keys == null ? null : keys.get(next.key());
    if (queue == null) {
      return;
    }
    for (BlockedClient wait : List.copyOf(queue)) {
      if (wait.attempt().serve(next.key())) {
        release(wait);
      }
    }
  }

  private void release(BlockedClient wait) {
    forget(wait);
    wait.client().resume();
  }

  /** Ends the wait of one client with the time-out reply or with an error. */
  public boolean unblock(Client client, boolean withError) {
    BlockedClient wait = client.blocked;
    if (wait == null) {
      return false;
    }
    if (withError) {
      client.reply().error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    } else {
      wait.timedOut().run();
    }
    release(wait);
    return true;
  }

  /** Answers clients whose time-out has passed. */
  public void expire(long now) {
    if (all.isEmpty()) {
      return;
    }
    for (BlockedClient wait : new ArrayList<>(all)) {
      if (wait.deadline() != 0 && wait.deadline() <= now) {
        wait.timedOut().run();
        release(wait);
      }
    }
  }

  /** Answers all clients with an error, for example because the node becomes a replica. */
  public void failAll(String errorLine) {
    for (BlockedClient wait : new ArrayList<>(all)) {
      wait.client().reply().error(errorLine);
      release(wait);
    }
  }
}
