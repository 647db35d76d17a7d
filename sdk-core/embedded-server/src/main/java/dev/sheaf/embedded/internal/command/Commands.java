package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.CommandTable;

/** All commands of the server. Built once and shared by all servers. */
public final class Commands implements Nodes.CommandSet {
  private static final Commands INSTANCE = new Commands();

  private final CommandTable table = new CommandTable();

  private Commands() {
    Handlers handlers = new Handlers(table);
    ConnectionCommands.register(handlers);
    ServerCommands.register(handlers);
    WatchCommands.register(handlers);
    AclCommands.register(handlers);
    KeyCommands.register(handlers);
    StringCommands.register(handlers);
    BitmapCommands.register(handlers);
    HyperLogLogCommands.register(handlers);
    HashCommands.register(handlers);
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

  public static Commands instance() {
    return INSTANCE;
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
