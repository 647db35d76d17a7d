// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.LuaEngine;
import dev.sheaf.embedded.internal.lua.LuaFunction;
import dev.sheaf.embedded.internal.lua.ScriptException;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Scripts;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Flag;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What scripts and functions say of themselves before they run. */
public final class ScriptFlags {
  private ScriptFlags() {}

  /**
   * Whether it may write, now: what is queued writes with EXEC, and scripts may say of themselves.
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

  /** Whether it is a call of a script or function that says that it does not write. */
  private static boolean onlyRead(ServerNode node, Command command, byte[][] args) {
    if (args.length < 2) {
      return false;
    }
    Set<String> flags = flags(node, command.name(), args[1]);
    return flags != null && flags.contains("no-writes");
  }

  private static @Nullable Set<String> flags(ServerNode node, String name, byte[] what) {
    switch (name) {
      case "eval" -> {
        try {
          return LuaEngine.flags(what);
        } catch (ScriptException e) {
          return null;
        }
      }
      case "evalsha" -> {
        Scripts.Script script = node.scripts.get(what);
        return script == null ? null : script.flags();
      }
      case "fcall" -> {
        LuaFunction function = node.functions.function(Bytes.text(what));
        return function == null ? null : function.flags();
      }
      default -> {
        return null;
      }
    }
  }
}
