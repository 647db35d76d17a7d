// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandKeys;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import dev.sheaf.embedded.internal.protocol.Flag;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.KeySpec;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** COMMAND and its subcommands, which report the command table. */
final class CommandCommand {
  private static CommandTable table(Call call) {
    return call.node.commands;
  }

  static void all(Call call) {
    if (call.count() > 1) {
      throw CommandTable.unknownSubcommand(call.args);
    }
    Collection<Command> commands = table(call).commands();
    call.out.each(commands, command -> describe(call.out, command));
  }

  static void count(Call call) {
    call.out.integer(table(call).commands().size());
  }

  static void info(Call call) {
    if (call.count() == 2) {
      call.out.each(table(call).commands(), command -> describe(call.out, command));
      return;
    }
    call.out.each(
        call.from(2),
        name ->
            call.out.orNil(
                table(call).find(Bytes.lower(name)), command -> describe(call.out, command)));
  }

  private static void describe(Reply out, Command command) {
    CommandKeys keys = command.keys;
    out.array(10);
    out.bulk(command.name());
    out.integer(command.arity());
    List<String> flags = new ArrayList<>();
    command.flags().stream().filter(Flag::isShown).forEach(flag -> flags.add(flag.word()));
    if (keys.movable) {
      flags.add("movablekeys");
    }
    statuses(out, flags);
    out.integer(keys.first);
    out.integer(keys.last);
    out.integer(keys.step);
    statuses(out, categories(command));
    out.set(command.tips().size());
    command.tips().forEach(out::bulk);
    out.set(keys.specs.size());
    keys.specs.forEach(spec -> describe(out, spec));
    out.set(command.subcommands.size());
    command.subcommands.values().forEach(sub -> describe(out, sub));
  }

  private static void statuses(Reply out, List<String> words) {
    out.set(words.size());
    words.forEach(out::status);
  }

  private static void describe(Reply out, KeySpec spec) {
    String note = spec.note();
    out.map(note == null ? 3 : 4);
    if (note != null) {
      out.key("notes").bulk(note);
    }
    out.bulk("flags");
    statuses(out, spec.access().words());
    out.bulk("begin_search");
    if (spec.isUnknown()) {
      describe(out, "unknown", Map.of());
      out.bulk("find_keys");
      describe(out, "unknown", Map.of());
      return;
    }
    String keyword = spec.keyword();
    if (keyword == null) {
      describe(out, "index", Map.of("index", spec.begin()));
    } else {
      describeType(out, "keyword", 2);
      out.key("keyword").bulk(keyword);
      out.key("startfrom").integer(spec.begin());
    }
    out.bulk("find_keys");
    Map<String, Integer> numbers = new LinkedHashMap<>();
    numbers.put(spec.counted() ? "keynumidx" : "lastkey", spec.last());
    numbers.put(spec.counted() ? "firstkey" : "keystep", spec.counted() ? 1 : spec.step());
    numbers.put(spec.counted() ? "keystep" : "limit", spec.counted() ? 1 : spec.limit());
    describe(out, spec.counted() ? "keynum" : "range", numbers);
  }

  private static void describe(Reply out, String type, Map<String, Integer> numbers) {
    describeType(out, type, numbers.size());
    numbers.forEach(
        (name, number) -> {
          out.bulk(name);
          out.integer(number);
        });
  }

  private static void describeType(Reply out, String type, int entries) {
    out.map(2);
    out.key("type").bulk(type);
    out.key("spec").map(entries);
  }

  private static List<String> categories(Command command) {
    return command.categories().stream().map(category -> "@" + category).toList();
  }

  static void docs(Call call) {
    List<Command> wanted = new ArrayList<>();
    if (call.count() == 2) {
      wanted.addAll(table(call).commands());
    }
    for (int i = 2; i < call.count(); i++) {
      Command command = table(call).find(Bytes.lower(call.arg(i)));
      if (command != null) {
        wanted.add(command);
      }
    }
    call.out.map(wanted.size());
    wanted.forEach(command -> document(call.out, command));
  }

  private static void document(Reply out, Command command) {
    out.bulk(command.name());
    out.map(command.subcommands.isEmpty() ? 3 : 4);
    out.key("summary").bulk(command.summary());
    out.key("since").bulk(command.since());
    out.key("group").bulk(command.group().title);
    if (!command.subcommands.isEmpty()) {
      out.key("subcommands").map(command.subcommands.size());
      command.subcommands.values().forEach(sub -> document(out, sub));
    }
  }

  static void list(Call call) {
    String kind = call.count() == 5 && call.is(2, "FILTERBY") ? call.text(3) : "";
    Errors.syntaxIf(call.count() != 2 && kind.isEmpty());
    List<String> names = new ArrayList<>();
    for (Command command : table(call).rows()) {
      if (command.group() != Group.SENTINEL
          && listed(
              command, kind.toUpperCase(Locale.ROOT), call.count() == 5 ? call.arg(4) : null)) {
        names.add(command.name());
      }
    }
    call.out.each(names, call.out::bulk);
  }

  private static boolean listed(Command command, String kind, byte @Nullable [] value) {
    if (value == null) {
      return true;
    }
    return switch (kind) {
      case "PATTERN" -> Glob.matchesIgnoringCase(value, Bytes.of(command.name()));
      case "ACLCAT" -> categories(command).contains("@" + Bytes.lower(value));
      case "MODULE" -> false;
      default -> throw Errors.syntax();
    };
  }

  static void getKeys(Call call) {
    byte[][] args = Arrays.copyOfRange(call.args, 2, call.count());
    int[] keys = keys(call, args);
    call.out.array(keys.length);
    for (int place : keys) {
      call.out.bulk(args[place]);
    }
  }

  static void getKeysAndFlags(Call call) {
    byte[][] args = Arrays.copyOfRange(call.args, 2, call.count());
    int[] keys = keys(call, args);
    Command command = table(call).resolve(args);
    call.out.array(keys.length);
    for (int place : keys) {
      call.out.array(2);
      call.out.bulk(args[place]);
      List<String> words = command == null ? List.of() : command.access(place, args).words();
      statuses(call.out, words.stream().filter(word -> !word.equals("incomplete")).toList());
    }
  }

  private static int[] keys(Call call, byte[][] args) {
    Command command = Errors.found(table(call).resolve(args), "ERR Invalid command specified");
    Errors.refuseIf(
        command.keys.isNone() || command.keys.areChannels(),
        "ERR The command has no key arguments");
    Errors.refuseIf(
        !command.accepts(args.length), "ERR Invalid number of arguments specified for command");
    int[] keys = command.keys.find(args);
    boolean ofStreams = keys.length > 0 && command.name().startsWith("xread");
    boolean unbalanced = ofStreams && args.length - keys[0] != 2 * keys.length;
    Errors.refuseIf(
        (unbalanced && call.node.edition().has("8.0.0"))
            || (keys.length == 0 && !command.is(Flag.NO_MANDATORY_KEYS)),
        "ERR Invalid arguments specified for command");
    return keys;
  }
}
