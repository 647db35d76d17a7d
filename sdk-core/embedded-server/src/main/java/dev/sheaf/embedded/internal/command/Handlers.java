// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandTable;
import java.util.List;

/** The implementations of commands, by name. The rows, kept separately, describe them. */
final class Handlers {
  private static Handler[] installed = {};

  private final List<String> names = CommandTable.names();
  private final Handler[] byId = new Handler[names.size()];

  static Handler of(Command command) {
    return installed[command.id];
  }

  private static void refuse(Call call) {
    throw CommandTable.unknownSubcommand(call.args);
  }

  Handlers add(String name, Handler handler) {
    int id = names.indexOf(name);
    Check.state(id < 0 || byId[id] != null, "%s has no row, or two handlers", name);
    byId[id] = handler;
    return this;
  }

  /** As {@link #add}, for a command that replies OK when it is done. */
  Handlers ok(String name, Handler handler) {
    return add(
        name,
        call -> {
          handler.run(call);
          call.out.ok();
        });
  }

  /** Resolves the handlers: {@link #of} can be called afterwards. */
  void install() {
    for (int id = 0; id < byId.length; id++) {
      if (byId[id] == null) {
        byId[id] = standard(names.get(id));
      }
    }
    installed = byId;
  }

  private Handler standard(String name) {
    if (name.endsWith("|help")) {
      return Help::write;
    }
    if (names.stream().anyMatch(other -> other.startsWith(name + "|"))) {
      return Handlers::refuse;
    }
    throw new IllegalStateException(name + " has no handler");
  }
}
