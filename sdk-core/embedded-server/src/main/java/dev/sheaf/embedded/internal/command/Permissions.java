// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.acl.AclLog;
import dev.sheaf.embedded.internal.acl.AclUser;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.Flag;
import java.util.Locale;

/** Checks the permissions of a session's user, and logs refusals. */
final class Permissions {
  /**
   * @throws CommandException NOPERM
   */
  static void check(ServerNode node, Client client, Command command, byte[][] args) {
    if (command.is(Flag.NO_AUTH)) {
      return;
    }
    AclUser.Denial denial = client.user.denies(command, args);
    if (denial != null) {
      note(node, client, denial, false);
      throw Errors.of(
          switch (denial.what()) {
            case COMMAND ->
                "NOPERM %s has no permissions to run the '%s' command"
                    .formatted(denied(node, client.user), command.name());
            case KEY ->
                "NOPERM this user has no permissions to access one of the keys used as arguments";
            case CHANNEL ->
                "NOPERM this user has no permissions to access one of the channels used as"
                    + " arguments";
          });
    }
  }

  /** Returns the user's name for error messages. */
  static String denied(ServerNode node, AclUser user) {
    return node.edition().isNewer() ? "User " + user.name : "this user";
  }

  /**
   * As {@link #check}, for a command of a script.
   *
   * @throws CommandException with Redis' wording inside scripts
   */
  static void checkInScript(ServerNode node, Client client, Command command, byte[][] args) {
    AclUser.Denial denial = client.user.denies(command, args);
    if (denial != null) {
      note(node, client, denial, true);
      throw Errors.of(
          switch (denial.what()) {
            case COMMAND ->
                "ERR The user executing the script can't run this command or subcommand";
            case KEY ->
                "ERR The user executing the script can't access at least one of the keys mentioned"
                    + " in the command arguments";
            case CHANNEL ->
                "ERR The user executing the script can't publish to the channel mentioned in the"
                    + " command";
          });
    }
  }

  private static void note(
      ServerNode node, Client client, AclUser.Denial denial, boolean inScript) {
    deniedEntry(
        node, client, denial.what().name().toLowerCase(Locale.ROOT), denial.object(), inScript);
  }

  static void deniedEntry(
      ServerNode node, Client client, String reason, String object, boolean inScript) {
    long now = node.nodes.now();
    boolean auth = reason.equals("auth");
    node.deniedLog.add(
        new AclLog.Entry(
            1,
            reason,
            inScript ? "lua" : client.queue() == null ? "toplevel" : "multi",
            auth ? "AUTH" : object,
            auth ? object : client.user.name,
            now,
            ClientLine.of(node, client, now, 0)));
  }
}
