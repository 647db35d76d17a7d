// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs commands without a connection, for tests that read or write the data directly. */
public final class DirectCalls {
  private DirectCalls() {}

  /**
   * Runs a command. Called on the command thread.
   *
   * @return a Long, a String for a status, bytes, a List, or null
   * @throws IllegalStateException if the command is unknown, or its reply is an error
   */
  public static @Nullable Object run(ServerNode node, int database, List<byte[]> words) {
    node.nodes.refreshNow();
    byte[][] args = words.toArray(new byte[0][]);
    Command command = Dispatcher.peek(node, args);
    if (command == null || !command.accepts(args.length)) {
      throw new IllegalStateException(
          "no such command, or the wrong number of arguments: "
              + words.stream().map(dev.sheaf.embedded.internal.data.Bytes::text).toList());
    }
    Client session = node.directSession();
    session.dbIndex = database;
    RecordedReply reply = new RecordedReply(2, node.edition());
    Dispatcher.run(new Call(node, session, command, args, reply, false));
    node.blocked.serveReady();
    node.tracking.send();
    String error = reply.errorLine();
    if (error != null) {
      throw new IllegalStateException(error);
    }
    return value(reply.parts());
  }

  /** Not recursive: a Lua table that contains itself is nested thousands of levels deep. */
  private static @Nullable Object value(List<@Nullable Object> parts) {
    List<@Nullable Object> values = new ArrayList<>();
    // Backwards, so that a head finds its elements complete, the first on top.
    for (int i = parts.size() - 1; i >= 0; i--) {
      Object part = parts.get(i);
      if (part instanceof RecordedReply.Head head) {
        int size = values.size();
        List<@Nullable Object> items = values.subList(size - head.elements, size);
        part = new ArrayList<>(items);
        items.clear();
        Collections.reverse((List<?>) part);
      }
      values.add(part instanceof RecordedReply.Text text ? text.text() : part);
    }
    return values.get(0);
  }
}
