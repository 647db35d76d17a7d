// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The commands that load scripts on a new socket, sent ahead of the first call of a script there.
 * Sockets without such calls, for instance those for topology refreshes, load nothing.
 *
 * <p>Thread-safe.
 */
public final class ScriptTexts {

  private volatile Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands = List::of;

  /**
   * Sets the supplier of the commands, called for each socket. It handles their outcomes itself.
   */
  public void comeFrom(Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands) {
    this.commands = commands;
  }

  List<EncodedCommand<?, ?, ?>> commands() {
    List<EncodedCommand<?, ?, ?>> encoded = new ArrayList<>();
    for (RedisCommand<?, ?, ?> command : commands.get()) {
      encoded.add(EncodedCommand.encode(command, false));
    }
    return encoded;
  }
}
