// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.lua.LuaError;
import dev.sheaf.embedded.internal.lua.LuaStatus;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs commands without a connection, for who looks at the data from inside. */
public final class DirectCalls {
  private DirectCalls() {}

  /**
   * On the command thread.
   *
   * @return a Long, a String for a status, bytes, a List, or null
   * @throws IllegalStateException with the error the command answers
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
    ValueReply reply = new ValueReply(2, node.edition());
    Dispatcher.run(new Call(node, session, command, args, reply, false));
    node.blocked.serveReady();
    node.tracking.send();
    Object result = reply.result();
    if (result instanceof LuaError error) {
      throw new IllegalStateException(error.text());
    }
    return result instanceof LuaStatus status ? status.text() : result;
  }
}
