// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.CommandException;

/** Implements a command: checks the arguments, works on the data, then writes the reply. */
public interface Handler {
  /**
   * Everything that can fail must be checked before the first element of the reply is written.
   *
   * @throws CommandException to answer with an error
   */
  void run(Call call);
}
