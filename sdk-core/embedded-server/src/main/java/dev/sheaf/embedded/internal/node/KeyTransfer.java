// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.Value;

/** Copies keys between nodes, with their times to live, and to the replicas of both. */
public final class KeyTransfer {
  private KeyTransfer() {}

  /** Copies a key, replacing what exists. Returns false if it does not exist. */
  public static boolean copy(ServerNode from, int fromDb, ServerNode to, int toDb, byte[] key) {
    Value value = from.db(fromDb).peek(key);
    if (value == null) {
      return false;
    }
    put(to.db(toDb), key, value);
    to.replicas.forEach(replica -> put(replica.db(toDb), key, value));
    to.db(toDb).changed(key);
    to.dirtied();
    return true;
  }

  private static void put(Database db, byte[] key, Value value) {
    Value copy = value.copy();
    db.put(key, copy);
    if (value.expireAt() != Value.NO_EXPIRY) {
      db.expireAt(key, copy, value.expireAt());
    }
  }

  /** Moves a key, replacing what exists. Returns false if it does not exist. */
  public static boolean move(ServerNode from, int fromDb, ServerNode to, int toDb, byte[] key) {
    if (!copy(from, fromDb, to, toDb, key)) {
      return false;
    }
    from.db(fromDb).remove(key);
    from.db(fromDb).changed(key);
    from.dirtied();
    from.replicas.forEach(replica -> replica.db(fromDb).remove(key));
    return true;
  }
}
