// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.BitSet;

/** The subcommands of CLUSTER that change the cluster. All nodes see a change at once. */
final class ClusterAdminCommands {
  private static final int MAX_PORT = 65_535;

  private ClusterAdminCommands() {}

  static void register(Handlers handlers) {
    handlers
        .add("cluster|addslots", ClusterCommands.inCluster(call -> assign(call, list(call), true)))
        .add(
            "cluster|addslotsrange",
            ClusterCommands.inCluster(call -> assign(call, ranges(call), true)))
        .add("cluster|bumpepoch", ClusterCommands.inCluster(ClusterAdminCommands::bumpEpoch))
        .add("cluster|delslots", ClusterCommands.inCluster(call -> assign(call, list(call), false)))
        .add(
            "cluster|delslotsrange",
            ClusterCommands.inCluster(call -> assign(call, ranges(call), false)))
        .add("cluster|failover", ClusterCommands.inCluster(ClusterAdminCommands::failover))
        .add("cluster|flushslots", ClusterCommands.inCluster(ClusterAdminCommands::flushSlots))
        .add("cluster|forget", ClusterCommands.inCluster(ClusterAdminCommands::forget))
        .add("cluster|meet", ClusterCommands.inCluster(ClusterAdminCommands::meet))
        .add("cluster|replicate", ClusterCommands.inCluster(ClusterAdminCommands::replicate))
        .add("cluster|saveconfig", ClusterCommands.inCluster(call -> call.out().ok()))
        .add("cluster|setslot", ClusterCommands.inCluster(ClusterAdminCommands::setSlot));
  }

  private static int slot(Call call, int at) {
    Long slot = Numbers.parseLong(call.arg(at));
    if (slot == null || slot < 0 || slot >= Slots.COUNT) {
      throw Errors.of("ERR Invalid or out of range slot");
    }
    return slot.intValue();
  }

  private static void add(BitSet slots, int slot) {
    if (slots.get(slot)) {
      throw Errors.of("ERR Slot " + slot + " specified multiple times");
    }
    slots.set(slot);
  }

  private static BitSet list(Call call) {
    BitSet slots = new BitSet();
    for (int i = 2; i < call.count(); i++) {
      add(slots, slot(call, i));
    }
    return slots;
  }

  private static BitSet ranges(Call call) {
    if (call.count() % 2 != 0) {
      throw Errors.arity(call.command().name());
    }
    BitSet slots = new BitSet();
    for (int i = 2; i < call.count(); i += 2) {
      int from = slot(call, i);
      int to = slot(call, i + 1);
      if (from > to) {
        throw Errors.of("ERR start slot number " + from + " is greater than end slot number " + to);
      }
      for (int slot = from; slot <= to; slot++) {
        add(slots, slot);
      }
    }
    return slots;
  }

  private static void assign(Call call, BitSet slots, boolean give) {
    Nodes nodes = call.node().nodes();
    slots.stream()
        .forEach(
            slot -> {
              if (give && nodes.owner(slot) != null) {
                throw Errors.of("ERR Slot " + slot + " is already busy");
              }
              if (!give && nodes.owner(slot) == null) {
                throw Errors.of("ERR Slot " + slot + " is already unassigned");
              }
            });
    slots.stream().forEach(slot -> nodes.owner(slot, give ? call.node() : null));
    call.out().ok();
  }

  private static void flushSlots(Call call) {
    if (call.node().db(0).size() > 0) {
      throw Errors.of("ERR DB must be empty to perform CLUSTER FLUSHSLOTS.");
    }
    call.node().slots().stream().forEach(slot -> call.node().nodes().owner(slot, null));
    call.out().ok();
  }

  private static void bumpEpoch(Call call) {
    long epoch = call.node().nodes().bumpEpoch(call.node());
    call.out().status("BUMPED " + epoch);
  }

  private static void failover(Call call) {
    boolean forced = false;
    if (call.count() == 3) {
      forced = call.is(2, "FORCE") || call.is(2, "TAKEOVER");
      if (!forced) {
        throw Errors.syntax();
      }
    } else if (call.count() > 3) {
      throw Errors.arity("cluster|failover");
    }
    ServerNode master = call.node().master();
    if (master == null) {
      throw Errors.of("ERR You should send CLUSTER FAILOVER to a replica");
    }
    if (master.isFailed() && !forced) {
      throw Errors.of("ERR Master is down or failed, please use CLUSTER FAILOVER FORCE");
    }
    call.node().nodes().failover(call.node());
    call.out().ok();
  }

  private static ServerNode node(Call call, int at, String unknown) {
    ServerNode found = call.node().nodes().byId(call.text(at));
    if (found == null) {
      throw Errors.of("ERR " + unknown + " " + call.text(at));
    }
    return found;
  }

  private static void forget(Call call) {
    ServerNode gone = node(call, 2, "Unknown node");
    if (gone == call.node()) {
      throw Errors.of("ERR I tried hard but I can't forget myself...");
    }
    if (gone == call.node().master()) {
      throw Errors.of("ERR Can't forget my master!");
    }
    call.out().ok();
  }

  private static void meet(Call call) {
    Long port = Numbers.parseLong(call.arg(3));
    if (port == null) {
      throw Errors.of("ERR Invalid TCP base port specified: " + call.text(3));
    }
    if (port < 1 || port > MAX_PORT) {
      throw Errors.of("ERR Invalid node address specified: " + call.text(2) + ":" + call.text(3));
    }
    call.out().ok();
  }

  private static void replicate(Call call) {
    ServerNode master = node(call, 2, "Unknown node");
    ServerNode self = call.node();
    if (master == self) {
      throw Errors.of("ERR Can't replicate myself");
    }
    if (!master.isMaster()) {
      throw Errors.of("ERR I can only replicate a master, not a replica.");
    }
    if (self.isMaster() && (!self.slots().isEmpty() || self.db(0).size() > 0)) {
      throw Errors.of("ERR To set a master the node must be empty and without assigned slots.");
    }
    ServerNode former = self.master();
    if (former != null) {
      former.replicas().remove(self);
    }
    self.nodes().makeReplica(self, master);
    call.out().ok();
  }

  private static void setSlot(Call call) {
    ServerNode self = call.node();
    if (!self.isMaster()) {
      throw Errors.of("ERR You can use SETSLOT only with masters.");
    }
    int slot = slot(call, 2);
    boolean hasNode = call.count() == 5;
    if (call.is(3, "MIGRATING") && hasNode) {
      migrating(call, slot);
    } else if (call.is(3, "IMPORTING") && hasNode) {
      importing(call, slot);
    } else if (call.is(3, "STABLE") && call.count() == 4) {
      self.migrating().remove(slot);
      self.importing().remove(slot);
    } else if (call.is(3, "NODE") && hasNode) {
      owner(call, slot);
    } else {
      throw Errors.of(
          "ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP");
    }
    call.out().ok();
  }

  private static ServerNode master(Call call, String unknown) {
    ServerNode found = node(call, 4, unknown);
    if (!found.isMaster()) {
      throw Errors.of("ERR Target node is not a master");
    }
    return found;
  }

  private static void migrating(Call call, int slot) {
    if (call.node().nodes().owner(slot) != call.node()) {
      throw Errors.of("ERR I'm not the owner of hash slot " + slot);
    }
    call.node().migrating().put(slot, master(call, "I don't know about node"));
  }

  private static void importing(Call call, int slot) {
    if (call.node().nodes().owner(slot) == call.node()) {
      throw Errors.of("ERR I'm already the owner of hash slot " + slot);
    }
    call.node().importing().put(slot, master(call, "I don't know about node"));
  }

  private static void owner(Call call, int slot) {
    ServerNode self = call.node();
    Nodes nodes = self.nodes();
    ServerNode next = master(call, "Unknown node");
    ServerNode former = nodes.owner(slot);
    boolean empty = self.db(0).countInSlot(slot) == 0;
    if (former == self && next != self && !empty) {
      throw Errors.of(
          "ERR Can't assign hashslot "
              + slot
              + " to a different node while I still hold keys for this hash slot.");
    }
    if (empty) {
      self.migrating().remove(slot);
    }
    if (next == self && self.importing().remove(slot) != null) {
      nodes.bumpEpoch(self);
    }
    nodes.owner(slot, next);
    if (former != null && former != next && former.db(0).countInSlot(slot) == 0) {
      former.migrating().remove(slot);
    }
  }
}
