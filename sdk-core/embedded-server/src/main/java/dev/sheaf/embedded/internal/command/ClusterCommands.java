// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** CLUSTER, and the commands that only matter in a cluster. */
final class ClusterCommands {
  private static final int BUS_OFFSET = 10_000;
  private static final int MAX_PORT = 65_535;

  static void register(Handlers handlers) {
    handlers
        .ok("asking", ClusterCommands::asking)
        .add("cluster|count-failure-reports", inCluster(ClusterCommands::failureReports))
        .add("cluster|countkeysinslot", inCluster(ClusterCommands::countKeysInSlot))
        .add("cluster|getkeysinslot", inCluster(ClusterCommands::getKeysInSlot))
        .add("cluster|info", inCluster(ClusterCommands::info))
        .add("cluster|keyslot", inCluster(call -> call.out.integer(Slots.of(call.arg(2)))))
        .add("cluster|links", inCluster(ClusterCommands::links))
        .add("cluster|myid", inCluster(call -> call.out.bulk(call.node.id)))
        .add("cluster|myshardid", inCluster(call -> call.out.bulk(call.node.shardId)))
        .add("cluster|nodes", inCluster(ClusterCommands::nodes))
        .add("cluster|replicas", inCluster(ClusterCommands::replicas))
        .add("cluster|shards", inCluster(ClusterCommands::shards))
        .add("cluster|slaves", inCluster(ClusterCommands::replicas))
        .add("cluster|slots", inCluster(ClusterCommands::slots))
        .add("readonly", call -> readOnlyMode(call, true))
        .add("readwrite", call -> readOnlyMode(call, false));
  }

  static Handler inCluster(Handler handler) {
    return call -> {
      requireCluster(call);
      handler.run(call);
    };
  }

  private static void requireCluster(Call call) {
    Errors.refuseIf(!call.node.nodes.isCluster(), "ERR This instance has cluster support disabled");
  }

  private static void asking(Call call) {
    requireCluster(call);
    call.client.asking = true;
  }

  private static void readOnlyMode(Call call, boolean on) {
    if (!call.node.edition().isValkey()) {
      requireCluster(call);
    }
    call.client.readOnlyMode = on;
    call.out.ok();
  }

  private static int busPort(ServerNode node) {
    int port = node.announcedPort;
    return port + BUS_OFFSET <= MAX_PORT ? port + BUS_OFFSET : port - BUS_OFFSET;
  }

  private static void nodes(Call call) {
    StringBuilder text = new StringBuilder();
    for (ServerNode node : call.node.nodes.all()) {
      line(text, node, call.node);
    }
    call.out.verbatim(Bytes.of(text.toString()));
  }

  private static void line(StringBuilder text, ServerNode node, ServerNode self) {
    ServerNode master = node.master();
    boolean here = node == self;
    text.append(
        "%s %s:%s@%s %s%s%s %s 0 %s %s %s"
            .formatted(
                node.id,
                node.announcedHost(),
                node.announcedPort,
                busPort(node),
                here ? "myself," : "",
                master == null ? "master" : "slave",
                node.isFailed() ? ",fail" : "",
                master == null ? "-" : master.id,
                here ? 0 : self.nodes.now(),
                node.primary().configEpoch,
                node.isFailed() && !here ? "disconnected" : "connected"));
    for (SlotRange range : SlotRange.of(node.slots())) {
      text.append(' ').append(range);
    }
    if (here) {
      node.migrating.forEach(
          (slot, to) -> text.append(" [").append(slot).append("->-").append(to.id).append(']'));
      node.importing.forEach(
          (slot, from) -> text.append(" [").append(slot).append("-<-").append(from.id).append(']'));
    }
    text.append('\n');
  }

  /** A range of slots, inclusive. */
  private record SlotRange(int from, int to) {
    static List<SlotRange> of(BitSet slots) {
      List<SlotRange> ranges = new ArrayList<>();
      for (int from = slots.nextSetBit(0); from >= 0; ) {
        int end = slots.nextClearBit(from);
        ranges.add(new SlotRange(from, end - 1));
        from = slots.nextSetBit(end);
      }
      return ranges;
    }

    @Override
    public String toString() {
      return from == to ? Integer.toString(from) : from + "-" + to;
    }
  }

  private static void slots(Call call) {
    Reply out = call.out;
    List<ServerNode> owners = new ArrayList<>();
    List<SlotRange> ranges = new ArrayList<>();
    for (ServerNode node : call.node.nodes.all()) {
      for (SlotRange range : SlotRange.of(node.slots())) {
        owners.add(node);
        ranges.add(range);
      }
    }
    out.array(ranges.size());
    for (int i = 0; i < ranges.size(); i++) {
      ServerNode owner = owners.get(i);
      List<ServerNode> replicas = owner.replicas.stream().filter(r -> !r.isFailed()).toList();
      out.array(3 + replicas.size());
      out.integer(ranges.get(i).from());
      out.integer(ranges.get(i).to());
      slotNode(out, owner);
      replicas.forEach(replica -> slotNode(out, replica));
    }
  }

  private static void slotNode(Reply out, ServerNode node) {
    out.list(node.announcedHost(), node.announcedPort, node.id, List.of());
  }

  private static void shards(Call call) {
    Reply out = call.out;
    List<ServerNode> masters = call.node.nodes.all().stream().filter(ServerNode::isMaster).toList();
    out.array(masters.size());
    for (ServerNode master : masters) {
      List<SlotRange> ranges = SlotRange.of(master.slots());
      out.map(2);
      out.key("slots").array(ranges.size() * 2);
      for (SlotRange range : ranges) {
        out.integer(range.from());
        out.integer(range.to());
      }
      out.key("nodes").array(1 + master.replicas.size());
      shardNode(out, master);
      master.replicas.forEach(replica -> shardNode(out, replica));
    }
  }

  private static void shardNode(Reply out, ServerNode node) {
    out.map(7);
    out.key("id").bulk(node.id);
    out.key("port").integer(node.announcedPort);
    out.key("ip").bulk(node.announcedHost());
    out.key("endpoint").bulk(node.announcedHost());
    out.key("role").bulk(node.isMaster() ? "master" : "replica");
    out.key("replication-offset").integer(node.replicationOffset());
    out.key("health").bulk(node.isFailed() ? "failed" : "online");
  }

  private static void info(Call call) {
    Nodes nodes = call.node.nodes;
    long size = nodes.all().stream().filter(node -> !node.slots().isEmpty()).count();
    String text =
        """
        cluster_state:%s
        cluster_slots_assigned:%s
        cluster_slots_ok:%s
        cluster_slots_pfail:0
        cluster_slots_fail:0
        cluster_known_nodes:%s
        cluster_size:%s
        cluster_current_epoch:%s
        cluster_my_epoch:%s
        cluster_stats_messages_sent:0
        cluster_stats_messages_received:0
        total_cluster_links_buffer_limit_exceeded:0
        """
            .formatted(
                nodes.isDown() ? "fail" : "ok",
                nodes.assignedSlots(),
                nodes.assignedSlots(),
                nodes.all().size(),
                size,
                nodes.epoch(),
                call.node.primary().configEpoch);
    call.out.verbatim(Bytes.of(text.replace("\n", "\r\n")));
  }

  private static int slot(Call call) {
    long slot = call.longArg(2);
    Errors.refuseIf(slot < 0 || slot >= Slots.COUNT, "ERR Invalid slot");
    return (int) slot;
  }

  private static void countKeysInSlot(Call call) {
    call.out.integer(call.node.db(0).countInSlot(slot(call)));
  }

  private static void getKeysInSlot(Call call) {
    long max = call.longArg(3);
    int slot = slot(call);
    Errors.refuseIf(max < 0, "ERR Invalid number of keys");
    List<byte[]> keys = call.node.db(0).keysInSlot(slot, (int) Math.min(Integer.MAX_VALUE, max));
    call.out.bulks(keys);
  }

  private static ServerNode named(Call call) {
    return Errors.found(call.node.nodes.byId(call.text(2)), "ERR Unknown node " + call.text(2));
  }

  private static void failureReports(Call call) {
    named(call);
    call.out.integer(0);
  }

  private static void replicas(Call call) {
    ServerNode node = named(call);
    Errors.refuseIf(!node.isMaster(), "ERR The specified node is not a master");
    call.out.array(node.replicas.size());
    for (ServerNode replica : node.replicas) {
      StringBuilder text = new StringBuilder();
      line(text, replica, call.node);
      call.out.bulk(text.substring(0, text.length() - 1));
    }
  }

  private static void links(Call call) {
    List<ServerNode> others =
        call.node.nodes.all().stream().filter(node -> node != call.node).toList();
    call.out.array(others.size() * 2);
    for (ServerNode other : others) {
      link(call, other, "to");
      link(call, other, "from");
    }
  }

  private static void link(Call call, ServerNode other, String direction) {
    call.out.map(6);
    call.out.key("direction").bulk(direction);
    call.out.key("node").bulk(other.id);
    call.out.key("create-time").integer(other.startedAt);
    call.out.key("events").bulk("r");
    call.out.key("send-buffer-allocated").integer(0);
    call.out.key("send-buffer-used").integer(0);
  }
}
