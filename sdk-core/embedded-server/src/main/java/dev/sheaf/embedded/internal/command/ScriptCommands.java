// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.CompiledScript;
import dev.sheaf.embedded.internal.lua.LuaCode;
import dev.sheaf.embedded.internal.lua.LuaEngine;
import dev.sheaf.embedded.internal.lua.LuaFunction;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** EVAL, EVALSHA and SCRIPT. */
final class ScriptCommands {
  private static final int SHA1_DIGITS = 40;

  static void register(Handlers handlers) {
    handlers
        .add("eval", call -> eval(call, false))
        .add("eval_ro", call -> eval(call, true))
        .add("evalsha", call -> evalSha(call, false))
        .add("evalsha_ro", call -> evalSha(call, true))
        .ok("script|debug", ScriptCommands::debug)
        .add("script|exists", ScriptCommands::exists)
        .ok("script|flush", ScriptCommands::flush)
        .add("script|kill", call -> kill(call, false))
        .add("script|load", ScriptCommands::load)
        .add("script|show", ScriptCommands::show);
  }

  static int numKeys(Call call, String notNumber) {
    long count = call.longArg(2, notNumber);
    Errors.refuseIf(
        count > call.count() - 3, "ERR Number of keys can't be greater than number of args");
    Errors.refuseIf(count < 0, "ERR Number of keys can't be negative");
    return (int) count;
  }

  private static void eval(Call call, boolean readOnly) {
    int numKeys = numKeys(call, Errors.NOT_INTEGER);
    byte[] source = call.arg(1);
    run(call, cache(call, source), numKeys, readOnly);
  }

  private static void evalSha(Call call, boolean readOnly) {
    Errors.refuseIf(call.arg(1).length != SHA1_DIGITS, Errors.NOSCRIPT);
    int numKeys = numKeys(call, Errors.NOT_INTEGER);
    CompiledScript script = Errors.found(call.node.scripts.get(call.arg(1)), Errors.NOSCRIPT);
    run(call, script, numKeys, readOnly);
  }

  private static void show(Call call) {
    call.out.bulk(Errors.found(call.node.scripts.get(call.arg(2)), Errors.NOSCRIPT).source());
  }

  static LuaEngine engine(Call call) {
    return call.node.nodes.scriptEngine();
  }

  private static CompiledScript cache(Call call, byte[] source) {
    refuseWhileRunning(call);
    String sha1 = Bytes.digest("SHA-1", source);
    CompiledScript known = call.node.scripts.get(Bytes.of(sha1));
    if (known != null) {
      return known;
    }
    CompiledScript script = engine(call).compile(source, sha1);
    call.node.scripts.put(script);
    return script;
  }

  static void refuseWhileRunning(Call call) {
    if (call.node.nodes.runningScript != null) {
      throw Errors.busy(call.node.nodes.isRunningFunction());
    }
  }

  /** Runs a script or a function and writes its reply. */
  static void run(Call call, LuaCode code, int numKeys, boolean readOnly) {
    Set<String> flags = code.flags();
    refuseWhileRunning(call);
    Nodes nodes = call.node.nodes;
    Errors.refuseIf(
        flags != null && nodes.isCluster() && flags.contains("no-cluster"),
        "ERR Can not run script on cluster, 'no-cluster' flag is set.");
    boolean mayWrite = flags != null && !flags.contains("no-writes");
    Errors.refuseIf(
        mayWrite && readOnly, "ERR Can not execute a script with write flag using *_ro command.");
    Errors.refuseIf(mayWrite && !call.node.isMaster(), Errors.READONLY);
    if (mayWrite) {
      Dispatcher.checkReplicas(call.node);
    }
    Errors.refuseIf(
        flags != null && mayWrite && !flags.contains("allow-oom") && !call.node.hasRoom(),
        "OOM allow-oom flag is not set on the script, can not run it when used memory >"
            + " 'maxmemory'");
    List<byte[]> words = Arrays.asList(call.args);
    String function = code instanceof LuaFunction ? code.name() : null;
    Nodes.RunningScript run = new Nodes.RunningScript(call.node, call.client, function, call.args);
    int slot = nodes.isCluster() ? ClusterRouting.slot(call.command, call.args) : -1;
    ScriptHost host = new ScriptHost(call, run, readOnly, flags, slot);
    nodes.runningScript = run;
    try {
      engine(call)
          .run(code, words.subList(3, 3 + numKeys), words.subList(3 + numKeys, words.size()), host)
          .writeTo(call.out);
    } catch (CommandException e) {
      Dispatcher.refuse(call, e.line(), !host.hasCounted(e.line()));
    } finally {
      nodes.runningScript = null;
    }
  }

  private static void debug(Call call) {
    Errors.refuseIf(!call.is(2, "NO"), "ERR the embedded server has no script debugger");
  }

  private static void exists(Call call) {
    call.out.array(call.count() - 2);
    for (int i = 2; i < call.count(); i++) {
      boolean known = call.node.scripts.get(call.arg(i)) != null;
      call.out.integer(known ? 1 : 0);
    }
  }

  private static void flush(Call call) {
    Errors.refuseIf(
        call.count() > 3 || (call.count() == 3 && !call.is(2, "SYNC") && !call.is(2, "ASYNC")),
        "ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    call.node.nodes.flushScripts(call.node);
  }

  private static void load(Call call) {
    call.out.bulk(cache(call, call.arg(2)).name());
  }

  /** SCRIPT KILL ends scripts; FUNCTION KILL ends functions. */
  static void kill(Call call, boolean function) {
    Nodes.RunningScript run =
        Errors.found(call.node.nodes.runningScript, "NOTBUSY No scripts in execution right now.");
    Errors.refuseIf(
        run.hasWritten(),
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You"
            + " can either wait the script termination or kill the server in a hard way using"
            + " the SHUTDOWN NOSAVE command.");
    if (function != (run.function != null)) {
      throw Errors.busy(!function);
    }
    run.kill();
    call.out.ok();
  }
}
