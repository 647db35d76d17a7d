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
    Rows rows = new Rows(table);
    ConnectionCommands.register(rows);
    ServerCommands.register(rows);
    WatchCommands.register(rows);
    AclCommands.register(rows);
    KeyCommands.register(rows);
    StringCommands.register(rows);
    BitmapCommands.register(rows);
    HyperLogLogCommands.register(rows);
    HashCommands.register(rows);
    ListCommands.register(rows);
    SetCommands.register(rows);
    SortedSetCommands.register(rows);
    StreamCommands.register(rows);
    StreamGroupCommands.register(rows);
    GeoCommands.register(rows);
    TransactionCommands.register(rows);
    PubSubCommands.register(rows);
    ScriptCommands.register(rows);
    FunctionCommands.register(rows);
    ClusterCommands.register(rows);
    ClusterAdminCommands.register(rows);
    SentinelCommands.register(rows);
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
