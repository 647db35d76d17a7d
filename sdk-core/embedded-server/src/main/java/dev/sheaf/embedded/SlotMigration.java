// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.KeyTransfer;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;

/**
 * The migration of a slot from one master to another, in the steps of a real cluster. Thread-safe.
 */
public final class SlotMigration {
  private static final int KEYS_AT_ONCE = 1000;

  private final CommandThread thread;
  private final Nodes nodes;
  private final int slot;
  private final ServerNode from;
  private final ServerNode to;

  /** Starts the migration. Called on the command thread. */
  SlotMigration(CommandThread thread, Nodes nodes, int slot, ServerNode from, ServerNode to) {
    Check.argument(slot < 0 || slot >= Slots.COUNT, "slot must be 0 to 16383: %s", slot);
    Check.argument(nodes.owner(slot) != from, "node %s does not serve slot %s", from.port(), slot);
    Check.argument(
        !to.isMaster() || to == from, "slot %s can only go to another master: %s", slot, to.port());
    this.thread = thread;
    this.nodes = nodes;
    this.slot = slot;
    this.from = from;
    this.to = to;
    from.migrating.put(slot, to);
    to.importing.put(slot, from);
  }

  /**
   * Moves up to {@code max} keys. Returns how many were moved.
   *
   * @throws IllegalStateException if the slot is no longer migrating
   */
  public int moveKeys(int max) {
    return thread.call(
        () -> {
          Check.state(
              nodes.owner(slot) != from || from.migrating.get(slot) != to,
              "slot %s is not under migration",
              slot);
          return (int)
              from.db(0).keysInSlot(slot, max).stream()
                  .filter(key -> KeyTransfer.move(from, 0, to, 0, key))
                  .count();
        });
  }

  /** Moves the remaining keys and assigns the slot to its new owner. */
  public void finish() {
    thread.run(
        () -> {
          while (moveKeys(KEYS_AT_ONCE) > 0) {
            // until the slot is empty
          }
          from.migrating.remove(slot);
          to.importing.remove(slot);
          nodes.owner(slot, to);
        });
  }
}
