// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.KeyTransfer;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import org.jspecify.annotations.Nullable;

/** Moves a slot from one master to another in the steps a real cluster takes. */
final class SlotMigration {
  private SlotMigration() {}

  static void begin(Nodes nodes, int slot, ServerNode from, ServerNode to) {
    Check.argument(slot < 0 || slot >= Slots.COUNT, "slot must be 0 to 16383: %s", slot);
    Check.argument(nodes.owner(slot) != from, "node %s does not serve slot %s", from.port(), slot);
    Check.argument(
        !to.isMaster() || to == from, "slot %s can only go to another master: %s", slot, to.port());
    from.migrating.put(slot, to);
    to.importing.put(slot, from);
  }

  static int moveKeys(Nodes nodes, int slot, int max) {
    ServerNode from = nodes.owner(slot);
    ServerNode to = from == null ? null : from.migrating.get(slot);
    if (from == null || to == null) {
      throw new IllegalArgumentException("slot " + slot + " is not under migration");
    }
    int moved = 0;
    for (byte[] key : from.db(0).keysInSlot(slot, max)) {
      if (KeyTransfer.move(from, 0, to, 0, key)) {
        moved++;
      }
    }
    return moved;
  }

  static void finish(Nodes nodes, int slot) {
    @Nullable ServerNode from = nodes.owner(slot);
    while (moveKeys(nodes, slot, 1000) > 0) {
      // until the slot is empty
    }
    ServerNode to = from == null ? null : from.migrating.remove(slot);
    if (to != null) {
      to.importing.remove(slot);
      nodes.owner(slot, to);
    }
  }
}
