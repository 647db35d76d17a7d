// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Database;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The watched keys of one node. */
public final class WatchedKeys {
  private final List<@Nullable ByteMap<List<Client>>> byDatabase = new ArrayList<>();
  private int total;

  public void watch(Client client, Database db, byte[] key) {
    for (WatchedKey watch : client.watches) {
      if (watch.same(db, key)) {
        return;
      }
    }
    keys(db).computeIfAbsent(key, ArrayList::new).add(client);
    client.watches.add(new WatchedKey(db, key));
    total++;
  }

  private ByteMap<List<Client>> keys(Database db) {
    while (byDatabase.size() <= db.index) {
      byDatabase.add(null);
    }
    ByteMap<List<Client>> keys = byDatabase.get(db.index);
    if (keys == null) {
      keys = new ByteMap<>();
      byDatabase.set(db.index, keys);
    }
    return keys;
  }

  public void unwatchAll(Client client) {
    for (WatchedKey watch : client.watches) {
      ByteMap<List<Client>> keys = keys(watch.db());
      List<Client> watchers = keys.get(watch.key());
      if (watchers != null) {
        watchers.remove(client);
        if (watchers.isEmpty()) {
          keys.remove(watch.key());
        }
      }
      total--;
    }
    client.watchesCleared();
  }

  void changed(Database db, byte[] key) {
    if (total == 0) {
      return;
    }
    List<Client> watchers = keys(db).get(key);
    if (watchers != null) {
      watchers.forEach(Client::breakWatch);
    }
  }

  /**
   * Called before the contents of two databases are exchanged: all their keys may change. An
   * expired key is removed first, and so counts as absent.
   */
  void swapping(Database first, Database second) {
    for (Database db : List.of(first, second)) {
      for (var e = keys(db).first(); e != null; e = e.after()) {
        boolean inFirst = first.peek(e.key) != null;
        boolean inSecond = second.peek(e.key) != null;
        if (inFirst || inSecond) {
          e.value().forEach(Client::breakWatch);
        }
      }
    }
  }
}
