// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.CommandRecorder;
import dev.sheaf.embedded.internal.node.Counters;
import dev.sheaf.embedded.internal.node.FaultRules;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.node.Tracking;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Flag;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.NoReply;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Processes a request: looks up the command, checks whether it can run, and queues it in a
 * transaction, or runs and replicates it. The checks are in the order of Redis, because clients see
 * which error comes first.
 */
public final class Dispatcher {
  private static final System.Logger LOG = System.getLogger(Dispatcher.class.getName());
  private static final int SHOWN_NAME = 128;

  private Dispatcher() {}

  /** Runs or queues one request of a client and writes its reply. */
  public static void execute(ServerNode node, Client client, byte[][] args) {
    node.nodes.refreshNow();
    beginReplyMode(client);
    boolean wasAsking = client.asking;
    node.running = client;
    try {
      Command command = admit(node, client, args);
      if (node.faults.isArmed() && node.faults.takeDroppedReply(command.name())) {
        dropReply(client);
      }
      if (client.queue() != null && !command.is(Flag.NEVER_QUEUED)) {
        queue(client, command, args);
      } else {
        client.used(node.nodes.now(), command);
        run(new Call(node, client, command, args, client.reply(), true));
        remember(node, client, command, args);
        node.blocked.serveReady();
      }
    } catch (CommandException e) {
      client.breakQueue();
      Command refused = peek(node, args);
      if (refused != null) {
        node.counters.rejected[refused.id]++;
      }
      String line = node.edition().worded(refusal(node, client, args, e.line()));
      node.counters.error(line);
      client.reply().error(line);
    }
    node.running = null;
    if (wasAsking) {
      client.asking = false;
    }
    endReplyMode(client);
    node.tracking.send();
  }

  /** A refused EXEC ends the transaction, unless it is redirected. */
  private static String refusal(ServerNode node, Client client, byte[][] args, String line) {
    if (!Bytes.is(args[0], "EXEC") || line.startsWith("EXECABORT") || isOfCluster(line)) {
      return line;
    }
    node.closeTransaction(client);
    String reason = line.startsWith("ERR ") ? line.substring("ERR ".length()) : line;
    return "EXECABORT Transaction discarded because of: " + reason;
  }

  private static boolean isOfCluster(String line) {
    return line.startsWith("MOVED")
        || line.startsWith("ASK ")
        || line.startsWith("TRYAGAIN")
        || line.startsWith("CROSSSLOT")
        || line.startsWith("CLUSTERDOWN");
  }

  /** Returns the row of a request without checks; null if there is none. */
  public static @Nullable Command peek(ServerNode node, byte[][] args) {
    try {
      return node.commands.resolve(args);
    } catch (CommandException e) {
      return null;
    }
  }

  private static void dropReply(Client client) {
    if (client.replyMode == Client.ReplyMode.ON) {
      client.replyMode = Client.ReplyMode.SKIPPING;
    }
  }

  /** Records the reads of a client with client-side caching, and resets its CLIENT CACHING. */
  static void remember(ServerNode node, Client client, Command command, byte[][] args) {
    if (node.tracking.clients() == 0 || command.name().equals("client|caching")) {
      return;
    }
    rememberKeys(node, client, command, command, args);
    Tracking.Mode mode = node.tracking.mode(client);
    if (mode != null && client.queue() == null) {
      mode.caching = false;
    }
  }

  /**
   * Records the keys of a command as read, if it reads. For a read-only script, its commands count,
   * not the script itself.
   */
  static void rememberKeys(
      ServerNode node, Client client, Command ran, Command named, byte[][] args) {
    boolean script = ran.group() == Group.SCRIPTING;
    if (ran.is(Flag.READONLY) && !ran.is(Flag.PUBSUB) && !script && !named.keys.isNone()) {
      node.tracking.read(client, args, named.keys.find(args));
    }
  }

  private static void beginReplyMode(Client client) {
    if (client.replyMode == Client.ReplyMode.SKIP_NEXT) {
      client.replyMode = Client.ReplyMode.SKIPPING;
    }
  }

  private static void endReplyMode(Client client) {
    if (client.replyMode == Client.ReplyMode.SKIPPING) {
      client.replyMode = Client.ReplyMode.ON;
    }
  }

  private static Command admit(ServerNode node, Client client, byte[][] args) {
    Command command = node.commands.resolve(args);
    if (command == null || !SentinelCommands.has(node, command)) {
      throw unknown(args);
    }
    if (!command.accepts(args.length)) {
      throw Errors.arity(command.name());
    }
    Errors.refuseIf(!client.authenticated && !command.is(Flag.NO_AUTH), Errors.NOAUTH);
    Errors.refuseIf(
        client.queue() != null && command.is(Flag.NO_MULTI),
        "ERR Command not allowed inside a transaction");
    Permissions.check(node, client, command, args);
    if (node.nodes.isCluster()) {
      ClusterRouting.check(node, client, command, args);
    }
    boolean busy = node.nodes.isHeldByScript(node);
    boolean full = !busy && !node.hasRoom();
    node.tracking.send();
    Errors.refuseIf(full && does(client, command, Flag.DENYOOM), Errors.OOM);
    if (does(client, command, Flag.WRITE)) {
      checkWritable(node);
    }
    if (client.protocol() == 2 && client.isSubscriber() && !command.is(Flag.FOR_SUBSCRIBERS)) {
      throw Errors.of(
          ("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT /"
                  + " RESET are allowed in this context")
              .formatted(command.name()));
    }
    if (node.monitors.contains(client) && (command.isWrite() || command.is(Flag.READONLY))) {
      throw Errors.of("ERR Replica can't interact with the keyspace");
    }
    Errors.refuseIf(node.faults.loading && !command.is(Flag.LOADING), Errors.LOADING);
    if (busy && !command.is(Flag.ALLOW_BUSY)) {
      throw Errors.busy(node.nodes.isRunningFunction());
    }
    return command;
  }

  /** Returns whether a command has the flag, or, for EXEC, a command that it runs. */
  private static boolean does(Client client, Command command, Flag flag) {
    List<Client.Queued> queue = client.queue();
    return command.is(flag)
        || (queue != null
            && command.name().equals("exec")
            && queue.stream().anyMatch(queued -> queued.command().is(flag)));
  }

  private static void checkWritable(ServerNode node) {
    checkReplicas(node);
    Errors.refuseIf(!node.isMaster() || node.faults.readOnly, Errors.READONLY);
  }

  static void checkReplicas(ServerNode node) {
    Errors.refuseIf(
        node.isMaster() && node.config.replicasToWrite() > node.replicas.size(), Errors.NOREPLICAS);
  }

  static CommandException unknown(byte[][] args) {
    StringBuilder shown = new StringBuilder();
    for (int i = 1; i < args.length && shown.length() < SHOWN_NAME; i++) {
      String arg = Bytes.text(args[i]);
      int room = SHOWN_NAME - shown.length();
      shown.append('\'').append(arg, 0, Math.min(room, arg.length())).append("' ");
    }
    String name = Bytes.text(args[0]);
    return Errors.of(
        "ERR unknown command '%s', with args beginning with: %s"
            .formatted(
                Bytes.oneLine(name.substring(0, Math.min(SHOWN_NAME, name.length()))),
                Bytes.oneLine(shown.toString())));
  }

  private static void queue(Client client, Command command, byte[][] args) {
    var queue = client.queue();
    if (queue != null) {
      queue.add(new Client.Queued(command, args));
    }
    client.reply().status("QUEUED");
  }

  /** Runs one command that passed the checks; an error becomes its reply. */
  static void run(Call call) {
    ServerNode node = call.node;
    Command command = call.command;
    Counters counters = node.counters;
    counters.commands++;
    counters.perCommand[command.id]++;
    long before = node.dirty();
    CommandRecorder recorder = node.nodes.recorder;
    if (recorder != null && (call.inScript || !call.client.isMasterLink())) {
      recorder.ran(node.port(), call.client, command.name(), call.args, call.inScript);
    }
    long begun = CommandWatch.begin(call);
    try {
      Object answer = node.faults.takeAnswer(command.name(), call.args);
      if (answer == FaultRules.PROCEED) {
        Handlers.of(command).run(call);
      } else if (answer instanceof CommandException refusal) {
        throw refusal;
      } else {
        call.out.value(answer);
      }
    } catch (CommandException e) {
      refuse(call, e.line());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "command " + command.name() + " failed", e);
      call.out.error(
          "ERR internal error in the embedded server: " + Bytes.oneLine(String.valueOf(e)));
    }
    CommandWatch.end(call, begun);
    if (node.dirty() != before && command.isWrite()) {
      replicate(call, node);
    }
  }

  private static void replicate(Call call, ServerNode node) {
    byte @Nullable [][] effect = call.effect();
    if (effect != null && !node.replicas.isEmpty()) {
      node.propagate(call.client.dbIndex, effect);
    }
  }

  /** An action that replies if it can complete now. */
  interface Try {
    boolean run();
  }

  /** Runs a blocked command again after its key has changed. Returns true if it has replied. */
  static boolean serve(Call call, Try attempt) {
    ServerNode node = call.node;
    long before = node.dirty();
    long begun = System.nanoTime();
    boolean served;
    try {
      served = attempt.run();
    } catch (CommandException e) {
      // The key has another type now. In Redis the client continues to wait.
      return false;
    }
    if (served) {
      CommandWatch.served(call, begun);
    }
    if (node.dirty() != before) {
      replicate(call, node);
    }
    return served;
  }

  /** Ends a command with an error. */
  static boolean refuse(Call call, String line) {
    refuse(call, line, true);
    return true;
  }

  /** {@code isNew} unless the error came from another command, which has counted it. */
  static void refuse(Call call, String line, boolean isNew) {
    Counters counters = call.node.counters;
    String worded = call.node.edition().worded(line);
    counters.failed[call.command.id]++;
    if (isNew) {
      counters.error(worded);
    }
    call.out.error(worded);
  }

  /** Replays on a replica what its master has done. */
  public static void replicate(ServerNode replica, Client link, byte[][] args) {
    Command command = replica.commands.resolve(args);
    if (command == null) {
      throw new IllegalStateException("cannot replicate " + Arrays.toString(args));
    }
    run(new Call(replica, link, command, args, NoReply.INSTANCE, false));
  }
}
