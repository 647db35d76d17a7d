package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.Command;
import java.util.ArrayList;
import java.util.List;

/**
 * What each command does, by its row. Apart from the rows, so that what describes commands does not
 * depend on what they do. Filled once, by {@link Commands}.
 */
final class Handlers {
  private static final List<Handler> BY_ID = new ArrayList<>();

  private Handlers() {}

  static void add(Command command, Handler handler) {
    if (command.id() != BY_ID.size()) {
      throw new IllegalStateException("the handler of " + command.name() + " is out of turn");
    }
    BY_ID.add(handler);
  }

  static Handler of(Command command) {
    return BY_ID.get(command.id());
  }
}
