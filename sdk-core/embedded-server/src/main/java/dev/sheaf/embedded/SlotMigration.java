package dev.sheaf.embedded;

import dev.sheaf.embedded.data.Database;
import dev.sheaf.embedded.data.Slots;
import dev.sheaf.embedded.data.Value;
import dev.sheaf.embedded.node.Nodes;
import dev.sheaf.embedded.node.ServerNode;
import org.jspecify.annotations.Nullable;

/** Moves a slot from one master to another in the steps a real cluster takes. */
final class SlotMigration {
  private SlotMigration() {}

  static void begin(Nodes nodes, int slot, ServerNode from, ServerNode to) {
    if (slot < 0 || slot >= Slots.COUNT) {
      throw new IllegalArgumentException("slot must be 0 to 16383: " + slot);
    }
    if (nodes.owner(slot) != from) {
      throw new IllegalArgumentException("node " + from.port() + " does not serve slot " + slot);
    }
    if (!to.isMaster() || to == from) {
      throw new IllegalArgumentException(
          "slot " + slot + " can only go to another master: " + to.port());
    }
    from.migrating().put(slot, to);
    to.importing().put(slot, from);
  }

  static int moveKeys(Nodes nodes, int slot, int max) {
    ServerNode from = nodes.owner(slot);
    ServerNode to = from == null ? null : from.migrating().get(slot);
    if (from == null || to == null) {
      throw new IllegalArgumentException("slot " + slot + " is not under migration");
    }
    int moved = 0;
    for (byte[] key : from.db(0).keysInSlot(slot, max)) {
      Value value = from.db(0).peek(key);
      if (value != null) {
        move(from, to, key, value);
        moved++;
      }
    }
    return moved;
  }

  private static void move(ServerNode from, ServerNode to, byte[] key, Value value) {
    put(to.db(0), key, value);
    to.replicas().forEach(replica -> put(replica.db(0), key, value));
    to.db(0).changed(key);
    from.db(0).remove(key);
    from.db(0).changed(key);
    from.replicas().forEach(replica -> replica.db(0).remove(key));
  }

  private static void put(Database db, byte[] key, Value value) {
    Value copy = value.copy();
    db.put(key, copy);
    if (value.expireAt() != Value.NO_EXPIRY) {
      db.expireAt(key, copy, value.expireAt());
    }
  }

  static void finish(Nodes nodes, int slot) {
    @Nullable ServerNode from = nodes.owner(slot);
    while (moveKeys(nodes, slot, 1000) > 0) {
      // until the slot is empty
    }
    ServerNode to = from == null ? null : from.migrating().remove(slot);
    if (to != null) {
      to.importing().remove(slot);
      nodes.owner(slot, to);
    }
  }
}
