// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.LuaHost;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Flag;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the commands of one script, with the checks that apply to scripts. */
final class ScriptHost implements LuaHost {
  private static final System.Logger LOG = System.getLogger(ScriptHost.class.getName());

  private final ServerNode node;
  private final Client caller;
  private final Client session;
  private final Nodes.RunningScript run;
  private final boolean readOnly;
  private final boolean oneSlot;
  private final boolean outOfMemory;
  private @Nullable String counted;
  private int slot;

  /**
   * Creates the host of one run.
   *
   * @param flags the flags of the script's first line; null without such a line
   * @param slot the slot of its keys, or -1
   */
  ScriptHost(
      Call call, Nodes.RunningScript run, boolean readOnly, @Nullable Set<String> flags, int slot) {
    this.node = call.node;
    this.caller = call.client;
    this.session = node.scriptSession(caller);
    this.run = run;
    this.readOnly = readOnly || (flags != null && flags.contains("no-writes"));
    this.oneSlot = flags != null && !flags.contains("allow-cross-slot-keys");
    this.outOfMemory = !node.hasRoom() && (flags == null || !flags.contains("allow-oom"));
    this.slot = slot;
  }

  @Override
  public RecordedReply call(byte[][] args, int respVersion) {
    session.protocol(respVersion);
    RecordedReply reply = new RecordedReply(respVersion, node.edition());
    try {
      Command command = admit(args);
      Dispatcher.run(Call.ofScript(node, session, command, args, reply));
      rememberKeys(command, args);
      node.nodes.clock.scriptCommandRan();
    } catch (CommandException e) {
      String line = node.edition().worded(e.line());
      Command refused = Dispatcher.peek(node, args);
      if (refused != null) {
        node.counters.rejected[refused.id]++;
      }
      node.counters.error(line);
      reply.error(line);
    }
    String error = reply.errorLine();
    if (error != null) {
      counted = error;
    }
    return reply;
  }

  /** Redis 7.0 tracks the keys passed to the script, newer servers those of the command. */
  private void rememberKeys(Command command, byte[][] args) {
    if (node.tracking.clients() == 0) {
      return;
    }
    Command script = node.edition().isNewer() ? null : Dispatcher.peek(node, run.command);
    Dispatcher.rememberKeys(
        node,
        caller,
        command,
        script == null ? command : script,
        script == null ? args : run.command);
  }

  /** Whether an error of the script came from a command, and has been counted. */
  boolean hasCounted(String line) {
    return counted != null && line.startsWith(counted);
  }

  private Command admit(byte[][] args) {
    Command command =
        Errors.found(Dispatcher.peek(node, args), "ERR Unknown Redis command called from script");
    Errors.refuseIf(
        command.is(Flag.NOSCRIPT) && !node.nodes.scriptsMayAll,
        "ERR This Redis command is not allowed from script");
    Errors.refuseIf(
        !command.accepts(args.length),
        "ERR Wrong number of args calling Redis command from script");
    Permissions.checkInScript(node, session, command, args);
    Errors.refuseIf(
        readOnly && (command.isWrite() || command.is(Flag.MAY_REPLICATE)),
        "ERR Write commands are not allowed from read-only scripts.");
    Errors.refuseIf(command.isWrite() && !node.isMaster(), Errors.READONLY);
    if (command.isWrite() && !run.hasWritten()) {
      Dispatcher.checkReplicas(node);
    }
    Errors.refuseIf(outOfMemory && command.is(Flag.DENYOOM) && !run.hasWritten(), Errors.OOM);
    if (node.nodes.isCluster()) {
      checkSlots(command, args);
    }
    return command;
  }

  private void checkSlots(Command command, byte[][] args) {
    try {
      session.readOnlyMode = caller.readOnlyMode;
      session.asking = caller.asking;
      ClusterRouting.check(node, session, command, args);
    } catch (CommandException e) {
      throw Errors.of(slotError(e.line()));
    }
    int commandSlot = ClusterRouting.slot(command, args);
    if (oneSlot && commandSlot >= 0) {
      if (slot >= 0 && slot != commandSlot) {
        throw Errors.of(slotError(Errors.CROSSSLOT));
      }
      slot = commandSlot;
    }
  }

  private static String slotError(String line) {
    if (line.startsWith("CROSSSLOT")) {
      return "ERR Script attempted to access keys that do not hash to the same slot";
    }
    if (line.equals(Errors.CLUSTER_DOWN)) {
      return "ERR Script attempted to execute a command while the cluster is down";
    }
    return "ERR Script attempted to access a non local key in a cluster node";
  }

  @Override
  public void log(int level, byte[] message) {
    LOG.log(
        level == 3
            ? System.Logger.Level.WARNING
            : level == 2 ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
        Bytes.text(message));
  }

  @Override
  public boolean interrupted() {
    return run.poll();
  }

  @Override
  public @Nullable Boolean allowed(byte[][] args) {
    Command found = Dispatcher.peek(node, args);
    return found == null ? null : (Boolean) (session.user.denies(found, args) == null);
  }
}
