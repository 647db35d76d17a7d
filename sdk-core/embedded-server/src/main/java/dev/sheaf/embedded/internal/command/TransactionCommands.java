// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.WatchedKey;
import java.util.List;

/** MULTI, EXEC and WATCH. */
final class TransactionCommands {
  static void register(Handlers handlers) {
    handlers
        .ok("discard", TransactionCommands::discard)
        .add("exec", TransactionCommands::exec)
        .ok("multi", TransactionCommands::multi)
        .ok("unwatch", call -> call.node.watched.unwatchAll(call.client))
        .ok("watch", TransactionCommands::watch);
  }

  private static void multi(Call call) {
    Errors.refuseIf(call.client.queue() != null, "ERR MULTI calls can not be nested");
    call.client.openTransaction();
  }

  private static void discard(Call call) {
    Errors.refuseIf(call.client.queue() == null, "ERR DISCARD without MULTI");
    call.node.closeTransaction(call.client);
  }

  private static void exec(Call call) {
    Client client = call.client;
    List<Client.Queued> queue = Errors.found(client.queue(), "ERR EXEC without MULTI");
    boolean broken = client.isQueueBroken();
    boolean changed = client.isWatchBroken() || watchedKeyHasExpired(client);
    call.node.closeTransaction(client);
    Errors.refuseIf(broken, Errors.EXECABORT);
    if (changed) {
      call.out.nilArray();
      return;
    }
    call.out.array(queue.size());
    for (Client.Queued queued : queue) {
      Dispatcher.run(
          new Call(call.node, client, queued.command(), queued.args(), client.reply(), false));
      Dispatcher.remember(call.node, client, queued.command(), queued.args());
    }
  }

  private static boolean watchedKeyHasExpired(Client client) {
    for (WatchedKey watch : client.watches) {
      watch.db().peek(watch.key());
    }
    return client.isWatchBroken();
  }

  private static void watch(Call call) {
    Errors.refuseIf(call.client.queue() != null, "ERR WATCH inside MULTI is not allowed");
    for (int i = 1; i < call.count(); i++) {
      call.db().peek(call.arg(i));
      call.node.watched.watch(call.client, call.db(), call.arg(i));
    }
  }
}
