// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.BitSet;

/** The subcommands of CLUSTER that change the cluster. All nodes see a change at once. */
final class ClusterAdminCommands {
  private static final int MAX_PORT = 65_535;

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
        .add("cluster|saveconfig", ClusterCommands.inCluster(call -> call.out.ok()))
        .add("cluster|setslot", ClusterCommands.inCluster(ClusterAdminCommands::setSlot));
  }

  private static int slot(Call call, int at) {
    long slot = call.longArg(at, 0, Slots.COUNT - 1, "ERR Invalid or out of range slot");
    return (int) slot;
  }

  private static void add(BitSet slots, int slot) {
    Errors.refuseIf(slots.get(slot), "ERR Slot %s specified multiple times", slot);
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
    Errors.arityIf(call.count() % 2 != 0, call);
    BitSet slots = new BitSet();
    for (int i = 2; i < call.count(); i += 2) {
      int from = slot(call, i);
      int to = slot(call, i + 1);
      Errors.refuseIf(
          from > to, "ERR start slot number %s is greater than end slot number %s", from, to);
      for (int slot = from; slot <= to; slot++) {
        add(slots, slot);
      }
    }
    return slots;
  }

  private static void assign(Call call, BitSet slots, boolean give) {
    Nodes nodes = call.node.nodes;
    slots.stream()
        .forEach(
            slot -> {
              Errors.refuseIf(
                  give && nodes.owner(slot) != null, "ERR Slot %s is already busy", slot);
              Errors.refuseIf(
                  !give && nodes.owner(slot) == null, "ERR Slot %s is already unassigned", slot);
            });
    slots.stream().forEach(slot -> nodes.owner(slot, give ? call.node : null));
    call.out.ok();
  }

  private static void flushSlots(Call call) {
    Errors.refuseIf(
        call.node.db(0).size() > 0, "ERR DB must be empty to perform CLUSTER FLUSHSLOTS.");
    call.node.slots().stream().forEach(slot -> call.node.nodes.owner(slot, null));
    call.out.ok();
  }

  private static void bumpEpoch(Call call) {
    long epoch = call.node.nodes.bumpEpoch(call.node);
    call.out.status("BUMPED " + epoch);
  }

  private static void failover(Call call) {
    Errors.arityIf(call.count() > 3, call);
    boolean forced = call.count() == 3;
    Errors.syntaxIf(forced && !call.is(2, "FORCE") && !call.is(2, "TAKEOVER"));
    ServerNode master =
        Errors.found(call.node.master(), "ERR You should send CLUSTER FAILOVER to a replica");
    Errors.refuseIf(
        master.isFailed() && !forced,
        "ERR Master is down or failed, please use CLUSTER FAILOVER FORCE");
    call.node.nodes.failover(call.node);
    call.out.ok();
  }

  private static ServerNode node(Call call, int at, String unknown) {
    String id = call.text(at);
    return Errors.found(call.node.nodes.byId(id), "ERR " + unknown + " " + id);
  }

  private static void forget(Call call) {
    ServerNode gone = node(call, 2, "Unknown node");
    Errors.refuseIf(gone == call.node, "ERR I tried hard but I can't forget myself...");
    Errors.refuseIf(gone == call.node.master(), "ERR Can't forget my master!");
    call.out.ok();
  }

  private static void meet(Call call) {
    long port = call.longArg(3, "ERR Invalid TCP base port specified: " + call.text(3));
    Errors.refuseIf(
        port < 1 || port > MAX_PORT,
        "ERR Invalid node address specified: %s:%s",
        call.text(2),
        call.text(3));
    call.out.ok();
  }

  private static void replicate(Call call) {
    ServerNode master = node(call, 2, "Unknown node");
    ServerNode self = call.node;
    Errors.refuseIf(master == self, "ERR Can't replicate myself");
    Errors.refuseIf(!master.isMaster(), "ERR I can only replicate a master, not a replica.");
    Errors.refuseIf(
        self.isMaster() && (!self.slots().isEmpty() || self.db(0).size() > 0),
        "ERR To set a master the node must be empty and without assigned slots.");
    ServerNode former = self.master();
    if (former != null) {
      former.replicas.remove(self);
    }
    self.nodes.makeReplica(self, master);
    call.out.ok();
  }

  private static void setSlot(Call call) {
    ServerNode self = call.node;
    Errors.refuseIf(!self.isMaster(), "ERR You can use SETSLOT only with masters.");
    int slot = slot(call, 2);
    boolean hasNode = call.count() == 5;
    if (call.is(3, "MIGRATING") && hasNode) {
      migrating(call, slot);
    } else if (call.is(3, "IMPORTING") && hasNode) {
      importing(call, slot);
    } else if (call.is(3, "STABLE") && call.count() == 4) {
      self.migrating.remove(slot);
      self.importing.remove(slot);
    } else if (call.is(3, "NODE") && hasNode) {
      owner(call, slot);
    } else {
      throw Errors.of(
          "ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP");
    }
    call.out.ok();
  }

  private static ServerNode master(Call call, String unknown) {
    ServerNode found = node(call, 4, unknown);
    Errors.refuseIf(!found.isMaster(), "ERR Target node is not a master");
    return found;
  }

  private static void migrating(Call call, int slot) {
    Errors.refuseIf(
        call.node.nodes.owner(slot) != call.node, "ERR I'm not the owner of hash slot %s", slot);
    call.node.migrating.put(slot, master(call, "I don't know about node"));
  }

  private static void importing(Call call, int slot) {
    Errors.refuseIf(
        call.node.nodes.owner(slot) == call.node,
        "ERR I'm already the owner of hash slot %s",
        slot);
    call.node.importing.put(slot, master(call, "I don't know about node"));
  }

  private static void owner(Call call, int slot) {
    ServerNode self = call.node;
    Nodes nodes = self.nodes;
    ServerNode next = master(call, "Unknown node");
    ServerNode former = nodes.owner(slot);
    boolean empty = self.db(0).countInSlot(slot) == 0;
    Errors.refuseIf(
        former == self && next != self && !empty,
        "ERR Can't assign hashslot %s to a different node while I still hold keys for this"
            + " hash slot.",
        slot);
    if (empty) {
      self.migrating.remove(slot);
    }
    if (next == self && self.importing.remove(slot) != null) {
      nodes.bumpEpoch(self);
    }
    nodes.owner(slot, next);
    if (former != null && former != next && former.db(0).countInSlot(slot) == 0) {
      former.migrating.remove(slot);
    }
  }
}
