package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.WatchedKey;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.KeySpec;
import java.util.List;

/** MULTI, EXEC and WATCH. */
final class TransactionCommands {
  private TransactionCommands() {}

  static void register(Rows rows) {
    rows.group(Group.TRANSACTIONS)
        .add(
            "discard",
            1,
            "noscript loading stale fast allow_busy",
            "2.0.0",
            "Drops the open transaction.",
            TransactionCommands::discard)
        .add(
            "exec",
            1,
            "noscript loading stale skip_slowlog",
            "1.2.0",
            "Runs the open transaction.",
            TransactionCommands::exec)
        .add(
            "multi",
            1,
            "noscript loading stale fast allow_busy",
            "1.2.0",
            "Opens a transaction.",
            TransactionCommands::multi)
        .add(
            "unwatch",
            1,
            "noscript loading stale fast allow_busy",
            "2.2.0",
            "Forgets all watched keys.",
            TransactionCommands::unwatch)
        .add(
            "watch",
            -2,
            "noscript loading stale fast allow_busy",
            KeySpec.ALL,
            "2.2.0",
            "Lets EXEC fail if a key changes before it.",
            TransactionCommands::watch);
  }

  private static void multi(Call call) {
    if (call.client().queue() != null) {
      throw Errors.of("ERR MULTI calls can not be nested");
    }
    call.client().openTransaction();
    call.out().ok();
  }

  private static void discard(Call call) {
    if (call.client().queue() == null) {
      throw Errors.of("ERR DISCARD without MULTI");
    }
    call.node().closeTransaction(call.client());
    call.out().ok();
  }

  private static void exec(Call call) {
    Client client = call.client();
    List<Client.Queued> queue = client.queue();
    if (queue == null) {
      throw Errors.of("ERR EXEC without MULTI");
    }
    boolean broken = client.isQueueBroken();
    boolean changed = client.isWatchBroken() || watchedKeyHasExpired(client);
    call.node().closeTransaction(client);
    if (broken) {
      throw Errors.of(Errors.EXECABORT);
    }
    if (changed) {
      call.out().nilArray();
      return;
    }
    call.out().array(queue.size());
    for (Client.Queued queued : queue) {
      Dispatcher.run(
          new Call(call.node(), client, queued.command(), queued.args(), client.reply(), false));
      Dispatcher.remember(call.node(), client, queued.command(), queued.args());
    }
  }

  private static boolean watchedKeyHasExpired(Client client) {
    for (WatchedKey watch : client.watches()) {
      watch.db().peek(watch.key());
    }
    return client.isWatchBroken();
  }

  private static void watch(Call call) {
    if (call.client().queue() != null) {
      throw Errors.of("ERR WATCH inside MULTI is not allowed");
    }
    for (int i = 1; i < call.count(); i++) {
      call.db().peek(call.arg(i));
      call.node().watched().watch(call.client(), call.db(), call.arg(i));
    }
    call.out().ok();
  }

  private static void unwatch(Call call) {
    call.node().watched().unwatchAll(call.client());
    call.out().ok();
  }
}
