// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All commands of a server: the single source for dispatch, arity errors, COMMAND, slot routing,
 * MULTI queueing and the documentation. Immutable once built.
 */
public final class CommandTable {
  /** The source of a description: rows with their changes, by group. */
  private static final List<String> LINES = Edition.lines("commands.txt");

  /** Returns the server that has these commands. */
  public final Edition edition;

  private final Map<String, Command> commands = new LinkedHashMap<>();
  private final List<Command> all = new ArrayList<>();
  private final ByteMap<Command> lookup = new ByteMap<>();

  /** The rows of commands.txt for one server. */
  public CommandTable(Edition edition) {
    this.edition = edition;
    Group group = Group.SERVER;
    List<CommandRow> rows = new ArrayList<>();
    for (String line : LINES) {
      if (line.startsWith("[")) {
        group = Group.titled(line.substring(1, line.length() - 1));
      } else if (line.startsWith(" ")) {
        rows.get(rows.size() - 1).amend(edition, line.strip());
      } else {
        rows.add(new CommandRow(group, line));
      }
    }
    for (int id = 0; id < rows.size(); id++) {
      if (rows.get(id).isIn(edition)) {
        add(new Command(id, rows.get(id).finished()));
      }
    }
  }

  /**
   * Returns the commands of all servers, subcommands included; {@link Command#id()} is the index.
   */
  public static List<String> names() {
    return LINES.stream()
        .filter(line -> Character.isLetter(line.charAt(0)))
        .map(CommandRow::name)
        .toList();
  }

  private void add(Command row) {
    String name = row.name();
    all.add(row);
    int bar = name.indexOf('|');
    if (bar < 0) {
      commands.put(name, row);
      lookup.put(Bytes.of(name), row);
      lookup.put(Bytes.of(name.toUpperCase(Locale.ROOT)), row);
    } else {
      Command container = commands.get(name.substring(0, bar));
      if (container == null) {
        throw new IllegalStateException("no container for subcommand " + name);
      }
      container.subcommands.put(name.substring(bar + 1), row);
    }
  }

  public static CommandException unknownSubcommand(byte[][] args) {
    String sub = Bytes.untilNul(args[1]);
    return new CommandException(
        "ERR unknown subcommand '%s'. Try %s HELP."
            .formatted(
                sub.substring(0, Math.min(128, sub.length())),
                Bytes.text(args[0]).toUpperCase(Locale.ROOT)));
  }

  /** Returns the command with a name, ignoring subcommands. */
  public @Nullable Command find(byte[] name) {
    Command found = lookup.get(name);
    return found != null ? found : commands.get(Bytes.lower(name));
  }

  /** Returns the command with a full name in lower case, such as {@code client|id}. */
  public @Nullable Command find(String fullName) {
    int bar = fullName.indexOf('|');
    if (bar < 0) {
      return commands.get(fullName);
    }
    Command container = commands.get(fullName.substring(0, bar));
    return container == null ? null : container.subcommand(fullName.substring(bar + 1));
  }

  /**
   * Returns the row that will run: the subcommand if there is one.
   *
   * @throws CommandException for an unknown subcommand
   */
  public @Nullable Command resolve(byte[][] args) {
    Command command = find(args[0]);
    if (command == null || command.subcommands.isEmpty() || args.length < 2) {
      return command;
    }
    Command sub = command.subcommand(Bytes.lower(args[1]));
    if (sub == null && command.accepts(args.length)) {
      throw unknownSubcommand(args);
    }
    return sub == null ? command : sub;
  }

  /** Returns all commands without their subcommands, in the order of the file. */
  public Collection<Command> commands() {
    return commands.values().stream().filter(row -> row.group() != Group.SENTINEL).toList();
  }

  /** Returns every row, subcommands included, in the order of the file. */
  public List<Command> rows() {
    return all;
  }
}
