package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandTable;

/** Collects what each command does, by its row. Apart from the rows, which describe only. */
final class Handlers {
  private static Handler[] installed = {};

  private final CommandTable table;
  private final Handler[] byId;

  Handlers(CommandTable table) {
    this.table = table;
    this.byId = new Handler[table.rows().size()];
    for (Command row : table.rows()) {
      if (row.isContainer()) {
        byId[row.id()] = Handlers::refuse;
      } else if (row.name().endsWith("|help")) {
        byId[row.id()] = Help::write;
      }
    }
  }

  static Handler of(Command command) {
    return installed[command.id()];
  }

  private static void refuse(Call call) {
    throw CommandTable.unknownSubcommand(call.args());
  }

  Handlers add(String name, Handler handler) {
    Command row = table.find(name);
    if (row == null || byId[row.id()] != null) {
      throw new IllegalStateException(name + " has no row, or two handlers");
    }
    byId[row.id()] = handler;
    return this;
  }

  /** From now on, {@link #of} knows what each command does. */
  void install() {
    for (Command row : table.rows()) {
      if (byId[row.id()] == null) {
        throw new IllegalStateException(row.name() + " has no handler");
      }
    }
    installed = byId;
  }
}
