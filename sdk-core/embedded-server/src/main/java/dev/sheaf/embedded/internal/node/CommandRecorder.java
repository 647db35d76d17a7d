// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

/** A listener to every command that a node runs. */
public interface CommandRecorder {
  /**
   * Called on the command thread, before the command runs.
   *
   * @param port the port of the node
   * @param name in lower case; a subcommand as {@code client|setname}
   * @param args the words of the command, with the name
   * @param inScript whether a script runs it
   */
  void ran(int port, Client client, String name, byte[][] args, boolean inScript);
}
