// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.node.Counters;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counters of a node, or the sum of all nodes of a server, since the start or the last reset. A
 * snapshot.
 *
 * @param commandsProcessed the number of commands that ran, including those in transactions and
 *     scripts
 * @param commandCounts executions by command name in lower case, subcommands as {@code
 *     client|setname}; without commands that never ran
 * @param connectionsReceived connections accepted
 * @param bytesIn bytes read from sockets
 * @param bytesOut bytes of replies and pushed messages
 * @param readBatches socket reads that contained at least one whole command: about how many times
 *     clients wrote
 */
public record NodeStats(
    long commandsProcessed,
    Map<String, Long> commandCounts,
    long connectionsReceived,
    long bytesIn,
    long bytesOut,
    long readBatches) {

  /** Returns how often the command ran; its name is case-insensitive. */
  public long count(String command) {
    return commandCounts.getOrDefault(command.toLowerCase(Locale.ROOT), 0L);
  }

  static NodeStats of(ServerNode node) {
    Counters counters = node.counters;
    Map<String, Long> counts = new TreeMap<>();
    for (Command row : node.commands.rows()) {
      long n = counters.perCommand[row.id];
      if (n > 0) {
        counts.put(row.name(), n);
      }
    }
    return new NodeStats(
        counters.commands,
        Map.copyOf(counts),
        counters.connections,
        counters.bytesIn,
        counters.bytesOut,
        counters.readBatches);
  }

  NodeStats plus(NodeStats other) {
    Map<String, Long> counts = new TreeMap<>(commandCounts);
    other.commandCounts.forEach((name, n) -> counts.merge(name, n, Long::sum));
    return new NodeStats(
        commandsProcessed + other.commandsProcessed,
        Map.copyOf(counts),
        connectionsReceived + other.connectionsReceived,
        bytesIn + other.bytesIn,
        bytesOut + other.bytesOut,
        readBatches + other.readBatches);
  }
}
