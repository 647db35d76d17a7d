// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Dump;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.lua.LuaFunction;
import dev.sheaf.embedded.internal.node.Functions;
import dev.sheaf.embedded.internal.node.Nodes;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.InlineWords;
import dev.sheaf.embedded.internal.protocol.ProtocolException;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

  private static void fcall(Call call, boolean readOnly) {
    LuaFunction function =
        Errors.found(call.node.functions.function(call.text(1)), "ERR Function not found");
    int numKeys = ScriptCommands.numKeys(call, "ERR Bad number of keys provided");
    ScriptCommands.run(call, function, numKeys, readOnly);
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
          !words[i].toLowerCase(Locale.ROOT).startsWith("name="),
          "ERR Invalid metadata value given: %s",
          words[i]);
      Errors.refuseIf(
          name != null, "ERR Invalid metadata value, name argument was given multiple times");
      name = words[i].substring("name=".length());
    }
    if (name == null) {
      throw Errors.of("ERR Library name was not given");
    }
    Errors.refuseIf(!LuaFunction.isName(name), "ERR " + LuaFunction.NAME_RULE);
    return name;
  }

  /** Split like an inline command, with quotes. */
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
    Functions.Library library = add(call, call.arg(call.count() - 1), replace);
    call.node.dirtied();
    call.out.bulk(library.name());
  }

  private static Functions.Library add(Call call, byte[] source, boolean replace) {
    ScriptCommands.refuseWhileRunning(call);
    String name = libraryName(source);
    Functions functions = call.node.functions;
    Functions.Library former = functions.library(name);
    Errors.refuseIf(former != null && !replace, "ERR Library '%s' already exists", name);
    List<LuaFunction> loaded = ScriptCommands.engine(call).load(source);
    for (LuaFunction function : loaded) {
      LuaFunction other = functions.function(function.name());
      if (other != null && (former == null || !former.functions().contains(other))) {
        ScriptCommands.engine(call).unload(loaded);
        throw Errors.of("ERR Function " + function.name() + " already exists");
      }
    }
    Functions.Library library = new Functions.Library(name, source, loaded);
    remove(call, name);
    functions.add(library);
    return library;
  }

  private static boolean remove(Call call, String name) {
    Functions.Library gone = call.node.functions.remove(name);
    if (gone != null) {
      ScriptCommands.engine(call).unload(gone.functions());
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
    List.copyOf(call.node.functions.libraries()).forEach(library -> remove(call, library.name()));
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
    List<Functions.Library> found = new ArrayList<>();
    for (Functions.Library library : call.node.functions.libraries()) {
      if (pattern == null || Glob.matchesIgnoringCase(pattern, Bytes.of(library.name()))) {
        found.add(library);
      }
    }
    call.out.array(found.size());
    for (Functions.Library library : found) {
      describe(call.out, library, withCode);
    }
  }

  private static void describe(Reply out, Functions.Library library, boolean withCode) {
    out.map(withCode ? 4 : 3);
    out.key("library_name").bulk(library.name());
    out.key("engine").bulk("LUA");
    out.key("functions").array(library.functions().size());
    for (LuaFunction function : library.functions()) {
      out.map(3);
      out.key("name").bulk(function.name());
      byte[] description = function.description();
      out.key("description").bulkOrNil(description.length == 0 ? null : description);
      out.key("flags").set(function.flags().size());
      function.flags().forEach(out::status);
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
    writeRunning(out.key("running_script"), run);
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
    out.key("command").list((Object[]) run.command);
    out.key("duration_ms").integer(run.millis());
  }

  private static void dump(Call call) {
    List<byte[]> sources =
        call.node.functions.libraries().stream().map(Functions.Library::source).toList();
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
      try {
        String name = libraryName(source);
        Errors.refuseIf(
            !replace && call.node.functions.library(name) != null,
            "ERR Library %s already exists",
            name);
        added.add(add(call, source, replace).name());
      } catch (CommandException e) {
        added.forEach(earlier -> remove(call, earlier));
        throw e;
      }
    }
    call.node.dirtied();
  }
}
