// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Connection;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.List;

/** The line of a connection in CLIENT LIST and CLIENT INFO. */
final class ClientLine {
  /** Describes a client that another one lists, or itself. */
  static String of(Call call, Client client) {
    long request = client == call.client ? bytesOf(call.args) : 0;
    return of(call.node, client, call.now(), request);
  }

  private static long bytesOf(byte[][] request) {
    long bytes = 3L + Integer.toString(request.length).length();
    for (byte[] word : request) {
      bytes += 5L + Integer.toString(word.length).length() + word.length;
    }
    return bytes;
  }

  /** {@code request} is the size of its current command on the wire. */
  static String of(ServerNode node, Client client, long now, long request) {
    Connection connection = client.connection;
    List<Client.Queued> queue = client.queue();
    Command last = client.lastCommand();
    Edition edition = node.edition();
    boolean counted = edition.has("7.4.0") || edition.isValkey();
    return String.format(
        "id=%s addr=%s laddr=%s fd=8 name=%s age=%s idle=%s flags=%s%s db=%s sub=%s psub=%s ssub=%s"
            + " multi=%s%s qbuf=%s qbuf-free=0 argv-mem=0 multi-mem=0 rbs=16384 rbp=0 obl=0 oll=0"
            + " omem=0 tot-mem=16384 events=r cmd=%s user=%s redir=%s resp=%s%s%s%s",
        client.id,
        connection == null ? "" : connection.remoteAddress(),
        connection == null ? "" : connection.localAddress(),
        client.name,
        (now - client.createdAt) / 1000,
        (now - client.lastUsedAt()) / 1000,
        flags(node, client),
        edition.isValkey() ? " capa=" : "",
        client.dbIndex,
        client.channels.size(),
        client.patterns.size(),
        client.shardChannels.size(),
        queue == null ? -1 : queue.size(),
        counted ? " watch=" + client.watches.size() : "",
        request,
        last == null ? "NULL" : last.name(),
        client.user.name,
        TrackingCommands.redirect(node, client),
        client.protocol(),
        edition.isNewer() ? " lib-name=" + client.libName + " lib-ver=" + client.libVersion : "",
        edition.has("8.0.0") ? " io-thread=0" : "",
        edition.isValkey() ? " tot-net-in=0 tot-net-out=0 tot-cmds=0" : "");
  }

  private static String flags(ServerNode node, Client client) {
    StringBuilder flags = new StringBuilder();
    if (node.monitors.contains(client)) {
      flags.append('O');
    }
    if (client.isSubscriber()) {
      flags.append('P');
    }
    if (client.queue() != null) {
      flags.append('x');
    }
    if (client.blocked != null) {
      flags.append('b');
    }
    if (client.isWatchBroken()) {
      flags.append('d');
    }
    if (client.readOnlyMode) {
      flags.append('r');
    }
    Connection connection = client.connection;
    if (connection != null && connection.isUnixSocket()) {
      flags.append('U');
    }
    return flags.length() == 0 ? "N" : flags.toString();
  }
}
