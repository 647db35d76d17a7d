package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Database;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which clients WATCH which keys of one node. */
public final class WatchedKeys {
  private final List<@Nullable ByteMap<List<Client>>> byDatabase = new ArrayList<>();
  private int total;

  public void watch(Client client, Database db, byte[] key) {
    for (WatchedKey watch : client.watches()) {
      if (watch.same(db, key)) {
        return;
      }
    }
    ByteMap<List<Client>> keys = keys(db);
    List<Client> watchers = keys.get(key);
    if (watchers == null) {
      watchers = new ArrayList<>(1);
      keys.put(key, watchers);
    }
    watchers.add(client);
    client.watches().add(new WatchedKey(db, key));
    total++;
  }

  private ByteMap<List<Client>> keys(Database db) {
    while (byDatabase.size() <= db.index()) {
      byDatabase.add(null);
    }
    ByteMap<List<Client>> keys = byDatabase.get(db.index());
    if (keys == null) {
      keys = new ByteMap<>();
      byDatabase.set(db.index(), keys);
    }
    return keys;
  }

  public void unwatchAll(Client client) {
    for (WatchedKey watch : client.watches()) {
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
   * The contents of two databases have changed places: what is in either is another now. A key
   * whose time is over does not count.
   */
  void swapped(Database first, Database second) {
    for (Database db : List.of(first, second)) {
      for (var e = keys(db).first(); e != null; e = e.after()) {
        if (first.has(e.key()) || second.has(e.key())) {
          e.value().forEach(Client::breakWatch);
        }
      }
    }
  }
}
