// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.Slots;
import dev.sheaf.embedded.internal.node.KeyTransfer;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** MIGRATE between nodes of the same server; values are copied directly. */
final class MigrateCommand {
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

  static void run(Call call) {
    boolean copy = false;
    boolean replace = false;
    int keysAt = 3;
    int keyCount = 1;
    for (int i = 6; i < call.count(); i++) {
      switch (call.option(i)) {
        case "COPY" -> copy = true;
        case "REPLACE" -> replace = true;
        case "AUTH" -> call.next(i++);
        case "AUTH2" -> i = call.next(i + 1);
        case "KEYS" -> {
          Errors.refuseIf(
              call.arg(3).length != 0,
              "ERR When using MIGRATE KEYS option, the key argument must be set to the empty"
                  + " string");
          keysAt = i + 1;
          keyCount = call.count() - keysAt;
          i = call.count();
        }
        default -> throw Errors.syntax();
      }
    }
    int targetDb = targetDb(call);
    List<byte[]> keys = existing(call, keysAt, keyCount);
    if (keys.isEmpty()) {
      call.out.status("NOKEY");
      return;
    }
    ServerNode target = target(call);
    for (byte[] key : keys) {
      Errors.refuseIf(
          !replace && target.db(targetDb).peek(key) != null,
          "ERR Target instance replied with error: BUSYKEY Target key name already exists.");
    }
    for (byte[] key : keys) {
      if (copy) {
        KeyTransfer.copy(call.node, call.client.dbIndex, target, targetDb, key);
      } else {
        KeyTransfer.move(call.node, call.client.dbIndex, target, targetDb, key);
      }
    }
    // The replicas have been updated together with the keys.
    call.noEffect();
    call.out.ok();
  }

  private static int targetDb(Call call) {
    call.longArg(5);
    long db = call.longArg(4);
    Errors.refuseIf(
        db < 0 || db >= ServerNode.DATABASES,
        "ERR Target instance replied with error: ERR DB index is out of range");
    return (int) db;
  }

  private static List<byte[]> existing(Call call, int keysAt, int keyCount) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = keysAt; i < keysAt + keyCount; i++) {
      if (call.db().get(call.arg(i)) != null) {
        keys.add(call.arg(i));
      }
    }
    return keys;
  }

  private static ServerNode target(Call call) {
    Long port = Numbers.parseLong(call.arg(2));
    for (ServerNode node : call.node.nodes.all()) {
      boolean here =
          port != null
              && (node.port() == port || node.announcedPort == port)
              && LOOPBACK.contains(call.text(1));
      if (here && !node.isFailed() && node != call.node) {
        requireTakes(call, node);
        return node;
      }
    }
    throw Errors.of("IOERR error or timeout connecting to the client");
  }

  private static void requireTakes(Call call, ServerNode node) {
    if (!call.node.nodes.isCluster()) {
      return;
    }
    for (int i : call.command.keys.find(call.args)) {
      int slot = Slots.of(call.arg(i));
      if (call.node.nodes.owner(slot) != node && !node.importing.containsKey(slot)) {
        ServerNode owner = call.node.nodes.owner(slot);
        throw Errors.of(
            "ERR Target instance replied with error: MOVED %s 127.0.0.1:%s"
                .formatted(slot, owner == null ? 0 : owner.announcedPort));
      }
    }
  }
}
