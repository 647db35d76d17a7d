package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.CommandTable;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.KeySpec;

/** Adds rows to the table, each with what its command does. */
final class Rows {
  private final CommandTable table;

  Rows(CommandTable table) {
    this.table = table;
  }

  /** For rows of one group. A name such as {@code client|id} makes a subcommand. */
  OfGroup group(Group group) {
    return new OfGroup(group);
  }

  final class OfGroup {
    private final Group group;

    OfGroup(Group group) {
      this.group = group;
    }

    OfGroup add(
        String name,
        int arity,
        String flags,
        KeySpec keys,
        String since,
        String summary,
        Handler handler) {
      Handlers.add(table.add(name, arity, flags, keys, group, since, summary), handler);
      return this;
    }

    OfGroup add(
        String name, int arity, String flags, String since, String summary, Handler handler) {
      return add(name, arity, flags, KeySpec.NONE, since, summary, handler);
    }

    /** A command that only exists through its subcommands. */
    OfGroup container(String name, String since, String summary) {
      return add(
          name,
          CommandTable.CONTAINER_ARITY,
          "",
          since,
          summary,
          call -> {
            throw CommandTable.unknownSubcommand(call.args());
          });
    }
  }
}
