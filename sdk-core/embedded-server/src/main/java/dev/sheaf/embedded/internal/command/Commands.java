// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** All commands of a server, built once per edition and shared. */
public final class Commands implements Nodes.CommandSet {
  private static final Map<Edition, Commands> BY_EDITION = new ConcurrentHashMap<>();

  private final CommandTable table;

  static {
    Handlers handlers = new Handlers();
    ConnectionCommands.register(handlers);
    ServerCommands.register(handlers);
    WatchCommands.register(handlers);
    AclCommands.register(handlers);
    KeyCommands.register(handlers);
    StringCommands.register(handlers);
    BitmapCommands.register(handlers);
    HyperLogLogCommands.register(handlers);
    HashCommands.register(handlers);
    HashFieldCommands.register(handlers);
    ListCommands.register(handlers);
    SetCommands.register(handlers);
    SortedSetCommands.register(handlers);
    StreamCommands.register(handlers);
    StreamGroupCommands.register(handlers);
    GeoCommands.register(handlers);
    TransactionCommands.register(handlers);
    PubSubCommands.register(handlers);
    ScriptCommands.register(handlers);
    FunctionCommands.register(handlers);
    ClusterCommands.register(handlers);
    ClusterAdminCommands.register(handlers);
    SentinelCommands.register(handlers);
    handlers.install();
  }

  private Commands(Edition edition) {
    table = new CommandTable(edition);
  }

  public static Commands of(Edition edition) {
    return BY_EDITION.computeIfAbsent(edition, Commands::new);
  }

  @Override
  public CommandTable table() {
    return table;
  }

  @Override
  public void replicate(ServerNode replica, Client link, byte[][] args) {
    Dispatcher.replicate(replica, link, args);
  }
}
