// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Flag;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides whether this node of a cluster serves a request, or redirects it. */
final class ClusterRouting {
  /**
   * @throws CommandException MOVED, ASK, CROSSSLOT, TRYAGAIN or CLUSTERDOWN
   */
  static void check(ServerNode node, Client client, Command command, byte[][] args) {
    if (command.name().equals("exec")) {
      checkTransaction(node, client);
      return;
    }
    if (command.keys.isNone()) {
      return;
    }
    Found found = new Found(node, client);
    found.add(command, args);
    found.decide(command, command.is(Flag.ASKING), readsOnly(command));
  }

  /** The slot of the first key; -1 without keys. */
  static int slot(Command command, byte[][] args) {
    int[] keys = command.keys.find(args);
    return keys.length == 0 ? -1 : Slots.of(args[keys[0]]);
  }

  private static void checkTransaction(ServerNode node, Client client) {
    List<Client.Queued> queue = client.queue();
    if (queue == null || client.isQueueBroken()) {
      return;
    }
    Found found = new Found(node, client);
    boolean readsOnly = true;
    for (Client.Queued queued : queue) {
      found.add(queued.command(), queued.args());
      readsOnly &= readsOnly(queued.command());
    }
    try {
      found.decide(null, false, readsOnly);
    } catch (CommandException e) {
      node.closeTransaction(client);
      throw e;
    }
  }

  /** Returns whether a READONLY client can run it on a replica. */
  private static boolean readsOnly(Command command) {
    return !command.isWrite() && !command.is(Flag.MAY_REPLICATE);
  }

  private static final class Found {
    private final Client client;
    private final ServerNode self;
    private final Nodes nodes;
    private int slot = -1;
    private boolean crossSlot;
    private boolean shardChannels;
    private int keys;
    private int missing;

    Found(ServerNode node, Client client) {
      this.client = client;
      this.self = node;
      this.nodes = self.nodes;
    }

    void add(Command command, byte[][] args) {
      shardChannels |= command.is(Flag.PUBSUB);
      for (int i : command.keys.find(args)) {
        int keySlot = Slots.of(args[i]);
        if (slot < 0) {
          slot = keySlot;
        }
        crossSlot |= slot != keySlot;
        keys++;
        if (isMoving() && !command.is(Flag.PUBSUB) && self.db(0).peek(args[i]) == null) {
          missing++;
        }
      }
    }

    private boolean isMoving() {
      return self.migrating.containsKey(slot) || self.importing.containsKey(slot);
    }

    void decide(@Nullable Command command, boolean commandAsks, boolean readsOnly) {
      if (slot < 0) {
        return;
      }
      ServerNode owner = Errors.found(nodes.owner(slot), Errors.SLOT_NOT_SERVED);
      Errors.refuseIf(crossSlot, Errors.CROSSSLOT);
      Errors.refuseIf(nodes.isDown(), Errors.CLUSTER_DOWN);
      if (command != null && command.name().equals("migrate") && isMoving()) {
        return;
      }
      ServerNode taker = owner == self ? self.migrating.get(slot) : null;
      if (taker != null && missing > 0) {
        throw Errors.of(missing < keys ? Errors.TRYAGAIN : redirect("ASK", taker));
      }
      if (self.importing.containsKey(slot) && (client.asking || commandAsks)) {
        Errors.refuseIf(keys > 1 && missing > 0, Errors.TRYAGAIN);
        return;
      }
      boolean replicaReads =
          self.master() == owner && (shardChannels || (client.readOnlyMode && readsOnly));
      if (owner != self && !replicaReads) {
        throw Errors.of(redirect("MOVED", owner));
      }
    }

    private String redirect(String kind, ServerNode to) {
      return kind + " " + slot + " " + to.announcedHost() + ":" + to.announcedPort;
    }
  }
}
