// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.LuaCode;
import dev.sheaf.embedded.internal.lua.ScriptHeader;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Flag;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The flags that scripts and functions declare. */
public final class ScriptFlags {
  private ScriptFlags() {}

  /**
   * Returns whether it can write now: EXEC if a queued command writes, and scripts by their flags.
   */
  public static boolean mayWrite(ServerNode node, Client client, Command command, byte[][] args) {
    List<Client.Queued> queue = client.queue();
    if (queue == null) {
      return mayWrite(node, command, args);
    }
    return command.name().equals("exec")
        && queue.stream().anyMatch(queued -> mayWrite(node, queued.command(), queued.args()));
  }

  private static boolean mayWrite(ServerNode node, Command command, byte[][] args) {
    return (command.isWrite() || command.is(Flag.MAY_REPLICATE)) && !onlyRead(node, command, args);
  }

  /** Returns whether it is a call of a script or function declared as read-only. */
  private static boolean onlyRead(ServerNode node, Command command, byte[][] args) {
    if (args.length < 2) {
      return false;
    }
    Set<String> flags = flags(node, command.name(), args[1]);
    return flags != null && flags.contains("no-writes");
  }

  private static @Nullable Set<String> flags(ServerNode node, String name, byte[] what) {
    if (name.equals("eval")) {
      try {
        return ScriptHeader.of(what).flags();
      } catch (CommandException e) {
        return null;
      }
    }
    LuaCode code =
        switch (name) {
          case "evalsha" -> node.scripts.get(what);
          case "fcall" -> node.functions.function(Bytes.text(what));
          default -> null;
        };
    return code == null ? null : code.flags();
  }
}
