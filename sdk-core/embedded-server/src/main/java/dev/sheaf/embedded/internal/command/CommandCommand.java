package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.protocol.Categories;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import dev.sheaf.embedded.internal.protocol.Flag;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.KeySpec;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** COMMAND and its subcommands: the table, told to clients. */
final class CommandCommand {
  private CommandCommand() {}

  private static CommandTable table(Call call) {
    return call.node().commands();
  }

  static void all(Call call) {
    if (call.count() > 1) {
      throw CommandTable.unknownSubcommand(call.args());
    }
    Collection<Command> commands = table(call).commands();
    call.out().array(commands.size());
    commands.forEach(command -> describe(call.out(), command));
  }

  static void count(Call call) {
    call.out().integer(table(call).commands().size());
  }

  static void info(Call call) {
    if (call.count() == 2) {
      call.out().array(table(call).commands().size());
      table(call).commands().forEach(command -> describe(call.out(), command));
      return;
    }
    call.out().array(call.count() - 2);
    for (int i = 2; i < call.count(); i++) {
      Command command = table(call).find(Bytes.lower(call.arg(i)));
      if (command == null) {
        call.out().nil();
      } else {
        describe(call.out(), command);
      }
    }
  }

  private static void describe(Reply out, Command command) {
    KeySpec keys = command.keys();
    out.array(10);
    out.bulk(command.name());
    out.integer(command.arity());
    List<String> flags = new ArrayList<>();
    command.flags().stream()
        .filter(flag -> flag != Flag.MAY_REPLICATE)
        .forEach(flag -> flags.add(flag.word()));
    if (keys.movable()) {
      flags.add("movablekeys");
    }
    out.set(flags.size());
    flags.forEach(out::status);
    out.integer(keys.first());
    out.integer(keys.last());
    out.integer(keys.step());
    List<String> categories = categories(command);
    out.set(categories.size());
    categories.forEach(out::status);
    out.array(0);
    out.array(0);
    out.array(command.subcommands().size());
    command.subcommands().values().forEach(sub -> describe(out, sub));
  }

  private static List<String> categories(Command command) {
    return Categories.of(command).stream().map(category -> "@" + category).toList();
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
    call.out().map(wanted.size());
    wanted.forEach(command -> document(call.out(), command));
  }

  private static void document(Reply out, Command command) {
    out.bulk(command.name());
    out.map(command.subcommands().isEmpty() ? 3 : 4);
    out.bulk("summary");
    out.bulk(command.summary());
    out.bulk("since");
    out.bulk(command.since());
    out.bulk("group");
    out.bulk(command.group().title());
    if (!command.subcommands().isEmpty()) {
      out.bulk("subcommands");
      out.map(command.subcommands().size());
      command.subcommands().values().forEach(sub -> document(out, sub));
    }
  }

  static void list(Call call) {
    String kind = call.count() == 5 && call.is(2, "FILTERBY") ? call.text(3) : "";
    if (call.count() != 2 && kind.isEmpty()) {
      throw Errors.syntax();
    }
    List<String> names = new ArrayList<>();
    for (Command command : table(call).rows()) {
      if (command.group() != Group.SENTINEL
          && listed(
              command, kind.toUpperCase(Locale.ROOT), call.count() == 5 ? call.arg(4) : null)) {
        names.add(command.name());
      }
    }
    call.out().array(names.size());
    names.forEach(call.out()::bulk);
  }

  private static boolean listed(Command command, String kind, byte @Nullable [] value) {
    if (value == null) {
      return !command.name().contains("|");
    }
    return switch (kind) {
      case "PATTERN" -> Glob.matchesIgnoringCase(value, Bytes.of(command.name()));
      case "ACLCAT" -> categories(command).contains("@" + Bytes.lower(value));
      case "MODULE" -> false;
      default -> throw Errors.syntax();
    };
  }

  static void getKeys(Call call) {
    byte[][] args = java.util.Arrays.copyOfRange(call.args(), 2, call.count());
    Command command = table(call).resolve(args);
    if (command == null) {
      throw Errors.of("ERR Invalid command specified");
    }
    if (command.keys().isNone()) {
      throw Errors.of("ERR The command has no key arguments");
    }
    if (!command.accepts(args.length)) {
      throw Errors.of("ERR Invalid number of arguments specified for command");
    }
    int[] keys = command.keys().finder().find(args);
    if (keys.length == 0 && !command.is(Flag.NO_MANDATORY_KEYS)) {
      throw Errors.of("ERR Invalid arguments specified for command");
    }
    call.out().array(keys.length);
    for (int i : keys) {
      call.out().bulk(args[i]);
    }
  }
}
