// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Dump;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.lua.FunctionLibrary;
import dev.sheaf.embedded.internal.lua.LuaEngine;
import dev.sheaf.embedded.internal.lua.LuaFunction;
import dev.sheaf.embedded.internal.lua.ScriptException;
import dev.sheaf.embedded.internal.node.Functions;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.InlineWords;
import dev.sheaf.embedded.internal.protocol.ProtocolException;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** FUNCTION and FCALL. */
final class FunctionCommands {
  static void register(Handlers handlers) {
    handlers
        .add("fcall", c -> fcall(c, false))
        .add("fcall_ro", c -> fcall(c, true))
        .ok("function|delete", FunctionCommands::delete)
        .add("function|dump", FunctionCommands::dump)
        .ok("function|flush", FunctionCommands::flush)
        .add("function|kill", killing -> ScriptCommands.kill(killing, true))
        .add("function|list", FunctionCommands::list)
        .add("function|load", FunctionCommands::load)
        .ok("function|restore", FunctionCommands::restore)
        .add("function|stats", FunctionCommands::stats);
  }

  private static LuaEngine engine(Call call) {
    return call.node.nodes.scriptEngine();
  }

  private static void fcall(Call call, boolean readOnly) {
    LuaFunction function =
        Errors.found(call.node.functions.function(call.text(1)), "ERR Function not found");
    long count = call.longArg(2, "ERR Bad number of keys provided");
    Errors.refuseIf(
        count > call.count() - 3, "ERR Number of keys can't be greater than number of args");
    Errors.refuseIf(count < 0, "ERR Number of keys can't be negative");
    ScriptCommands.run(
        call,
        function.name(),
        (int) count,
        readOnly,
        function.flags(),
        (keys, args, host) -> engine(call).call(function, keys, args, host));
  }

  /** The first line of a library: its name. */
  private static String libraryName(byte[] source) {
    String text = Bytes.text(source);
    int end = text.indexOf('\n');
    Errors.refuseIf(!text.startsWith("#!"), "ERR Missing library metadata");
    Errors.refuseIf(end < 0, "ERR Invalid library metadata");
    String[] words = words(text.substring(0, end));
    Errors.refuseIf(
        !words[0].equalsIgnoreCase("#!lua"), "ERR Engine '%s' not found", words[0].substring(2));
    String name = null;
    for (int i = 1; i < words.length; i++) {
      Errors.refuseIf(
          !words[i].toLowerCase(java.util.Locale.ROOT).startsWith("name="),
          "ERR Invalid metadata value given: %s",
          words[i]);
      Errors.refuseIf(
          name != null, "ERR Invalid metadata value, name argument was given multiple times");
      name = words[i].substring("name=".length());
    }
    if (name == null) {
      throw Errors.of("ERR Library name was not given");
    }
    Errors.refuseIf(
        !name.matches("[A-Za-z0-9_]+"),
        "ERR Library names can only contain letters, numbers, or underscores(_) and must be at"
            + " least one character long");
    return name;
  }

  /** Split as an inline command is, with its quotes. */
  private static String[] words(String line) {
    try {
      return Stream.of(InlineWords.split(Bytes.of(line))).map(Bytes::text).toArray(String[]::new);
    } catch (ProtocolException e) {
      throw Errors.of("ERR Invalid library metadata");
    }
  }

  private static void load(Call call) {
    boolean replace = false;
    for (int i = 2; i < call.count() - 1; i++) {
      Errors.refuseIf(!call.is(i, "REPLACE"), "ERR Unknown option given: %s", call.text(i));
      replace = true;
    }
    FunctionLibrary library = add(call, call.arg(call.count() - 1), replace);
    call.node.dirtied();
    call.out.bulk(library.name());
  }

  private static FunctionLibrary add(Call call, byte[] source, boolean replace) {
    ScriptCommands.refuseWhileRunning(call);
    String name = libraryName(source);
    Functions functions = call.node.functions;
    FunctionLibrary former = functions.library(name);
    Errors.refuseIf(former != null && !replace, "ERR Library '%s' already exists", name);
    List<LuaFunction> loaded;
    try {
      loaded = engine(call).load(source);
    } catch (ScriptException e) {
      throw Errors.of(e.line());
    }
    for (LuaFunction function : loaded) {
      LuaFunction other = functions.function(function.name());
      if (other != null && (former == null || !former.functions().contains(other))) {
        engine(call).unload(loaded);
        throw Errors.of("ERR Function " + function.name() + " already exists");
      }
    }
    FunctionLibrary library = new FunctionLibrary(name, source, loaded);
    if (former != null) {
      functions.remove(name);
      engine(call).unload(former.functions());
    }
    functions.add(library);
    return library;
  }

  private static boolean remove(Call call, String name) {
    FunctionLibrary gone = call.node.functions.remove(name);
    if (gone != null) {
      engine(call).unload(gone.functions());
    }
    return gone != null;
  }

  private static void delete(Call call) {
    Errors.refuseIf(!remove(call, call.text(2)), "ERR Library not found");
    call.node.dirtied();
  }

  private static void flush(Call call) {
    Errors.wrongUseIf(call.count() > 3, call);
    Errors.refuseIf(
        call.count() == 3 && !call.is(2, "SYNC") && !call.is(2, "ASYNC"),
        "ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
    clear(call);
    call.node.dirtied();
  }

  private static void clear(Call call) {
    for (FunctionLibrary library : call.node.functions.libraries()) {
      engine(call).unload(library.functions());
    }
    call.node.functions.clear();
  }

  private static void list(Call call) {
    byte[] pattern = null;
    boolean withCode = false;
    for (int i = 2; i < call.count(); i++) {
      if (!withCode && call.is(i, "WITHCODE")) {
        withCode = true;
      } else if (pattern == null && call.is(i, "LIBRARYNAME")) {
        Errors.refuseIf(i + 1 == call.count(), "ERR library name argument was not given");
        pattern = call.arg(++i);
      } else {
        throw Errors.of("ERR Unknown argument " + call.text(i));
      }
    }
    List<FunctionLibrary> found = new ArrayList<>();
    for (FunctionLibrary library : call.node.functions.libraries()) {
      if (pattern == null || Glob.matchesIgnoringCase(pattern, Bytes.of(library.name()))) {
        found.add(library);
      }
    }
    call.out.array(found.size());
    for (FunctionLibrary library : found) {
      describe(call.out, library, withCode);
    }
  }

  private static void describe(Reply out, FunctionLibrary library, boolean withCode) {
    out.map(withCode ? 4 : 3);
    out.key("library_name").bulk(library.name());
    out.key("engine").bulk("LUA");
    out.key("functions").array(library.functions().size());
    for (LuaFunction function : library.functions()) {
      out.map(3);
      out.key("name").bulk(function.name());
      out.bulk("description");
      if (function.description().length == 0) {
        out.nil();
      } else {
        out.bulk(function.description());
      }
      out.bulk("flags");
      Set<String> flags = function.flags();
      out.set(flags.size());
      flags.forEach(out::status);
    }
    if (withCode) {
      out.key("library_code").bulk(library.source());
    }
  }

  private static void stats(Call call) {
    Nodes.RunningScript run = call.node.nodes.runningScript;
    if (run != null && run.function == null) {
      throw Errors.busy(false);
    }
    Reply out = call.out;
    out.map(2);
    out.bulk("running_script");
    writeRunning(out, run);
    out.key("engines").map(1);
    out.key("LUA").map(2);
    out.key("libraries_count").integer(call.node.functions.libraries().size());
    out.key("functions_count").integer(call.node.functions.functionCount());
  }

  private static void writeRunning(Reply out, Nodes.@Nullable RunningScript run) {
    if (run == null) {
      out.nil();
      return;
    }
    out.map(3);
    out.key("name").bulk(String.valueOf(run.function));
    out.key("command").array(run.command.length);
    for (byte[] word : run.command) {
      out.bulk(word);
    }
    out.key("duration_ms").integer(run.millis());
  }

  private static void dump(Call call) {
    List<byte[]> sources =
        call.node.functions.libraries().stream().map(FunctionLibrary::source).toList();
    call.out.bulk(Dump.ofLibraries(sources, call.node.edition().dumpVersion));
  }

  private static void restore(Call call) {
    boolean flush = false;
    boolean replace = false;
    Errors.wrongUseIf(call.count() > 4, call);
    if (call.count() == 4) {
      flush = call.is(3, "FLUSH");
      replace = call.is(3, "REPLACE");
      Errors.refuseIf(
          !flush && !replace && !call.is(3, "APPEND"),
          "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
    }
    List<byte[]> sources =
        Errors.found(
            Dump.libraries(call.arg(2), call.node.edition().dumpVersion),
            "ERR DUMP payload version or checksum are wrong");
    if (flush) {
      clear(call);
    }
    List<String> added = new ArrayList<>();
    for (byte[] source : sources) {
      String name = libraryName(source);
      if (!replace && call.node.functions.library(name) != null) {
        added.forEach(earlier -> remove(call, earlier));
        throw Errors.of("ERR Library " + name + " already exists");
      }
      try {
        added.add(add(call, source, replace).name());
      } catch (CommandException e) {
        added.forEach(earlier -> remove(call, earlier));
        throw e;
      }
    }
    call.node.dirtied();
  }
}
