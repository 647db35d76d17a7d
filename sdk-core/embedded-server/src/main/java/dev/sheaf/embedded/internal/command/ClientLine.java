package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Connection;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import java.util.List;

/** The line CLIENT LIST and CLIENT INFO give for a connection. */
final class ClientLine {
  private ClientLine() {}

  static String of(ServerNode node, Client client, long now) {
    Connection connection = client.connection();
    List<Client.Queued> queue = client.queue();
    Command last = client.lastCommand();
    return "id="
        + client.id()
        + " addr="
        + (connection == null ? "" : connection.remoteAddress())
        + " laddr="
        + (connection == null ? "" : connection.localAddress())
        + " fd=8 name="
        + client.name()
        + " age="
        + (now - client.createdAt()) / 1000
        + " idle="
        + (now - client.lastUsedAt()) / 1000
        + " flags="
        + flags(node, client)
        + " db="
        + client.dbIndex()
        + " sub="
        + client.channels().size()
        + " psub="
        + client.patterns().size()
        + " ssub="
        + client.shardChannels().size()
        + " multi="
        + (queue == null ? -1 : queue.size())
        + " qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=16384 rbp=0 obl=0 oll=0 omem=0"
        + " tot-mem=16384 events=r cmd="
        + (last == null ? "NULL" : last.name())
        + " user="
        + client.user().name()
        + " redir="
        + TrackingCommands.redirect(node, client)
        + " resp="
        + client.protocol()
        + (client.libName().isEmpty() && client.libVersion().isEmpty()
            ? ""
            : " lib-name=" + client.libName() + " lib-ver=" + client.libVersion());
  }

  private static String flags(ServerNode node, Client client) {
    StringBuilder flags = new StringBuilder();
    if (node.monitors().has(client)) {
      flags.append('O');
    }
    if (client.isSubscriber()) {
      flags.append('P');
    }
    if (client.queue() != null) {
      flags.append('x');
    }
    if (client.blocked() != null) {
      flags.append('b');
    }
    if (client.isWatchBroken()) {
      flags.append('d');
    }
    if (client.isReadOnlyMode()) {
      flags.append('r');
    }
    Connection connection = client.connection();
    if (connection != null && connection.isUnixSocket()) {
      flags.append('U');
    }
    return flags.length() == 0 ? "N" : flags.toString();
  }
}
