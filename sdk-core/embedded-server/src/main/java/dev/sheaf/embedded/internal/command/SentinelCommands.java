// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** SENTINEL, on the port of a sentinel only: the commands that clients use to find a master. */
final class SentinelCommands {
  private static final int DOWN_AFTER_MILLIS = 30_000;

  /** The other commands that a sentinel answers. */
  private static final Set<String> OTHERS =
      Set.of(
          ("ping info role client auth hello acl command subscribe"
                  + " unsubscribe psubscribe punsubscribe publish quit reset select")
              .split(" "));

  static void register(Handlers handlers) {
    handlers
        .add(
            "sentinel|ckquorum",
            call -> {
              requireMaster(call);
              call.out.status(
                  "OK 1 usable Sentinels. Quorum and failover authorization can be reached");
            })
        .ok("sentinel|failover", SentinelCommands::failover)
        .add("sentinel|get-master-addr-by-name", SentinelCommands::address)
        .add(
            "sentinel|master",
            call -> describe(call.out, requireMaster(call), sentinel(call).masterName()))
        .add("sentinel|masters", SentinelCommands::masters)
        .add("sentinel|myid", call -> call.out.bulk(call.node.id))
        .add("sentinel|replicas", SentinelCommands::replicas)
        .add(
            "sentinel|sentinels",
            call -> {
              requireMaster(call);
              call.out.array(0);
            })
        .add("sentinel|slaves", SentinelCommands::replicas);
  }

  /** Returns whether the node, a sentinel or not, has the command. */
  static boolean has(ServerNode node, Command command) {
    if (node.sentinel == null) {
      return command.group() != Group.SENTINEL;
    }
    String name = command.name();
    int bar = name.indexOf('|');
    return command.group() == Group.SENTINEL
        || OTHERS.contains(bar < 0 ? name : name.substring(0, bar));
  }

  private static ServerNode.Watch sentinel(Call call) {
    ServerNode.Watch sentinel = call.node.sentinel;
    if (sentinel == null) {
      throw Dispatcher.unknown(call.args);
    }
    return sentinel;
  }

  private static ServerNode requireMaster(Call call) {
    Errors.refuseIf(
        !call.text(2).equals(sentinel(call).masterName()), "ERR No such master with that name");
    return sentinel(call).master();
  }

  private static void address(Call call) {
    if (!call.text(2).equals(sentinel(call).masterName())) {
      call.out.nilArray();
      return;
    }
    ServerNode master = sentinel(call).master();
    call.out.list(master.announcedHost(), Integer.toString(master.announcedPort));
  }

  private static void masters(Call call) {
    call.out.array(1);
    describe(call.out, sentinel(call).master(), sentinel(call).masterName());
  }

  private static void replicas(Call call) {
    List<ServerNode> replicas = requireMaster(call).replicas;
    call.out.array(replicas.size());
    for (ServerNode replica : replicas) {
      describe(call.out, replica, replica.announcedHost() + ":" + replica.announcedPort);
    }
  }

  private static void describe(Reply out, ServerNode node, String name) {
    ServerNode master = node.master();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("ip", node.announcedHost());
    fields.put("port", Integer.toString(node.announcedPort));
    fields.put("runid", node.id);
    fields.put("flags", (master == null ? "master" : "slave") + (node.isFailed() ? ",s_down" : ""));
    fields.put("link-pending-commands", "0");
    fields.put("link-refcount", "1");
    fields.put("last-ping-sent", "0");
    fields.put("last-ok-ping-reply", "0");
    fields.put("last-ping-reply", "0");
    fields.put("down-after-milliseconds", Integer.toString(DOWN_AFTER_MILLIS));
    fields.put("info-refresh", "0");
    fields.put("role-reported", master == null ? "master" : "slave");
    fields.put("role-reported-time", "0");
    if (master == null) {
      fields.put("config-epoch", Long.toString(node.configEpoch));
      fields.put("num-slaves", Integer.toString(node.replicas.size()));
      fields.put("num-other-sentinels", "0");
      fields.put("quorum", "1");
      fields.put("failover-timeout", "180000");
      fields.put("parallel-syncs", "1");
    } else {
      fields.put("master-link-down-time", "0");
      fields.put("master-link-status", master.isFailed() ? "err" : "ok");
      fields.put("master-host", master.announcedHost());
      fields.put("master-port", Integer.toString(master.announcedPort));
      fields.put("slave-priority", "100");
      fields.put("slave-repl-offset", Long.toString(node.replicationOffset()));
      fields.put("replica-announced", "1");
    }
    out.texts(fields);
  }

  private static void failover(Call call) {
    ServerNode master = requireMaster(call);
    ServerNode next =
        master.replicas.stream().filter(replica -> !replica.isFailed()).findFirst().orElse(null);
    if (next == null) {
      throw Errors.of("NOGOODSLAVE No suitable replica to promote");
    }
    next.nodes.failover(next);
  }
}
