// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What each new socket of a node is sent ahead of the first script that is called there, so that
 * this one is known. Sockets where none is called, as those that ask for the topology, get nothing.
 *
 * <p>Thread-safe.
 */
public final class ScriptTexts {

  private volatile Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands = List::of;

  /** Sets what makes the commands, anew for each socket; their outcomes are its own affair. */
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
